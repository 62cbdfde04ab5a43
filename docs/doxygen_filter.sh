#!/bin/sh
# Comments of the header as Doxygen wants them: "/* ... */" in front of a declaration becomes "/** ... */", behind one "/**< ... */". Rulers go.
sed -e 's|^/\* -\{20,\}$|/*|' -e 's|^/\* |/** |' -e 's|^\( \{1,\}\)/\* |\1/** |' -e 's|^\(.*[^ ].*\) /\* |\1 /**< |' "$1"
