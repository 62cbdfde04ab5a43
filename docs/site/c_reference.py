# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference of the C interface as a page, from the XML that Doxygen makes of the public headers. Each name tells which pages use it, or
shows who does: programs on these pages, examples and tests are compiled and run by tests. A name that nobody shows is refused."""
import re
import xml.etree.ElementTree as xml

HEADERS = {"tosajit": "what most programs need", "inspect": "what a kernel is and does", "image": "kernels as bytes and files",
           "graph": "what engines that run models need", "mlir": "files of TOSA"}
USES = ("README.md", "docs/first-steps.md", "docs/tour.md", "docs/engine-authors.md") # cxx_test runs the first two, tour_test the others
CALLERS = ("examples/engine/*.c", "examples/aot/*.c", "tests/install/consumer/*.c", "tests/api/typed_test.c", "tests/api/views_test.c",
           "tests/api/api_test.c", "tests/api/state_calls*.c", "tests/api/*_test.c", "tests/numbers/*_test.c", "tests/unit/*_test.c")
# What headers have for themselves.
OWN = ("TOSAJIT_API", "TOSAJIT_H", "TOSAJIT_OP", "TOSAJIT_VIEW_OP")
DEFINED = re.compile(r"^\w[^\n;{}]*(?:\n[^\n;{}]*)?\{\n.*?^\}|^\w[^\n;]*\{[^\n]*\}(?:;$|, .*?;$|$)", re.MULTILINE | re.DOTALL)


def inline(node):
    """A paragraph's words; names of code stay code."""
    text = node.text or ""
    for child in node:
        inner = inline(child)
        tag = {"computeroutput": f"`{inner}`", "mdash": "—", "ndash": "–"}.get(child.tag, inner)
        if child.tag == "verbatim":
            tag = "\n\n```c\n" + (child.text or "").strip("\n") + "\n```\n\n"
        text += tag + (child.tail or "")
    return text


def words(node):
    """Descriptions of a member, without the rulers that part a header."""
    parts = [inline(para).strip() for name in ("briefdescription", "detaileddescription") for para in node.findall(f"{name}/para")]
    text = "\n\n".join(part for part in parts if part)
    text = "".join(part if k % 2 else re.sub(r"([<>*_\[\]|])", r"\\\1", part) if "```" not in part else part
                   for k, part in enumerate(re.split(r"(```.*?```|`[^`]*`)", text, flags=re.DOTALL)))
    return re.sub(r"^-*—\s*", "", text).strip()


def line(node):
    return int(node.find("location").get("line"))


def members_of(root):
    """(type, name) of each member of a struct: who writes that has something of the type, whose name need not be there."""
    return [(inline(member.find("type")), member.findtext("name")) for path in sorted(root.glob("struct*.xml")) for member in xml.parse(path).iter("memberdef")]


def patterns(name, member, held):
    """How the name is seen in a program: itself, a value of the enumeration, or a member of its type."""
    values = [value.findtext("name") for value in member.findall("enumvalue")] if member is not None else []
    yield rf"\b(?:{'|'.join([name, *values])})\b"
    within = [key for kind, key in held if re.search(rf"\b{name}\b", kind)]
    if within:
        yield rf"(?:\.|->)(?:{'|'.join(within)})\b"


def struct(root, refid):
    """A struct's members, each with its words."""
    tree = xml.parse(root / f"{refid}.xml").getroot().find("compounddef")
    members = [member for member in tree.iter("memberdef")]
    rows = []
    for member in members:
        declared = inline(member.find("type")).strip()
        name = member.findtext("name") + (member.findtext("argsstring") or "")
        shown = f"{declared[:-1]}{name}" if declared.endswith("(*") else f"{declared} {name}"
        rows.append((shown, words(member).replace("\n", " ").replace("|", "\\|")))
    table = ["| member | |", "|---|---|"] + [f"| `{name.replace('|', chr(92) + '|')}` | {text} |" for name, text in rows]
    return line(tree), tree.findtext("compoundname"), words(tree), "\n".join(table if rows else [])


def signature(member):
    kind = member.get("kind")
    if kind == "function":
        declared = inline(member.find("type")).replace("TOSAJIT_API", "").strip()
        args = ", ".join((inline(p.find("type")) + " " + (p.findtext("declname") or "") + (p.findtext("array") or "")).strip() for p in member.findall("param"))
        space = "" if declared.endswith("*") else " "
        whole = f"{declared}{space}{member.findtext('name')}({args.replace('* ', '*')});"
        if len(whole) > 90:
            whole = f"{declared}{space}{member.findtext('name')}(\n    " + args.replace("* ", "*").replace(", ", ",\n    ") + ");"
        return whole
    if kind == "define":
        params = member.findall("param")
        name = member.findtext("name") + (f"({', '.join(p.findtext('defname') or '' for p in params)})" if params else "")
        value = inline(member.find("initializer")) if member.find("initializer") is not None else ""
        return f"#define {name} {value}" if "\n" not in value and len(value) < 80 else f"#define {name}"
    if kind == "typedef":
        whole = "typedef " + inline(member.find("type")) + " " + member.findtext("name") + (member.findtext("argsstring") or "") + ";"
        return (whole if len(whole) <= 90 else whole.replace(")(", ")(\n    ").replace(", ", ",\n    ")).replace("* tosajit", "*tosajit")
    return f"enum {member.findtext('name')}"


def enum(member):
    rows = [f"| `{value.findtext('name')}` | {words(value).replace(chr(10), ' ')} |" for value in member.findall("enumvalue")]
    return "\n".join(["| value | |", "|---|---|", *rows])


def used(pattern, texts):
    return [f"[{title}](../{'index.md' if page == 'README.md' else page})" for page, (title, text) in texts.items() if re.search(pattern, text)]


def callers(source):
    """(file, text) of each function and table in C that examples and tests have."""
    seen = set()
    for pattern in CALLERS:
        for path in sorted(source.glob(pattern)):
            if path not in seen:
                seen.add(path)
                for found in DEFINED.finditer(path.read_text(encoding="utf-8")):
                    yield str(path.relative_to(source)), found[0]


def example(pattern, functions):
    """The shortest of the first file that has any of at most forty lines."""
    with_it = [(file, text) for file, text in functions if re.search(pattern, text) and text.count("\n") < 40]
    if not with_it:
        return None
    file = with_it[0][0]
    return file, min((text for where, text in with_it if where == file), key=len)


def entries(root, header):
    """(line, name, Markdown, XML) of what the header has."""
    tree = xml.parse(root / f"{header}_8h.xml").getroot().find("compounddef")
    structs = {}
    for inner in tree.findall("innerclass"):
        at, name, text, table = struct(root, inner.get("refid"))
        structs[name] = (at, text, table)
        yield at, name, f"{text}\n\n{table}", None
    for member in tree.iter("memberdef"):
        name = member.findtext("name")
        if not name or name in structs or name.startswith("@") or name in OWN or name.endswith("_H"):
            continue
        if member.get("kind") == "typedef" and inline(member.find("type")).strip() in (f"struct {name}", f"enum {name}", f"union {name}"):
            if inline(member.find("type")).startswith("enum"):
                continue # the enumeration itself has the name
        body = enum(member) if member.get("kind") == "enum" else f"```c\n{signature(member)}\n```"
        yield line(member), name, f"{body}\n\n{words(member)}" if member.get("kind") != "enum" else f"{words(member)}\n\n{body}", member


def shown(ways, texts, functions, name, alone, before):
    """Where a program has the name."""
    for pattern in ways:
        where = used(pattern, texts)
        if where:
            return ["Used in " + ", ".join(where) + "."]
        found = example(pattern, functions)
        if found and found[1] == before[-1]:
            return [f"Example, of `{found[0]}`: the one above."]
        if found:
            before.append(found[1])
            return [f"Example, of `{found[0]}`:", "", f"```c\n{found[1]}\n```"]
    alone.append(name)
    return []


def page(root, source):
    texts, functions, held, alone = {}, list(callers(source)), members_of(root), []
    before = [""] # examples that the page has
    for name in USES:
        text = (source / name).read_text(encoding="utf-8")
        texts[name] = (re.search(r"^# (.*)", text, re.MULTILINE)[1], "\n".join(re.findall(r"```c(?:pp)?\n(.*?)```", text, re.DOTALL)))
    lines = ["# C reference", "", "From the public headers. [First steps](../docs/first-steps.md#c-and-c) has whole programs, and "
             "[for authors of engines](../docs/engine-authors.md) has one for each question.", ""]
    for header, what in HEADERS.items():
        lines += [f"## tosajit/{header}.h", "", what[0].upper() + what[1:] + ".", ""]
        for _, name, text, member in sorted(entries(root, header), key=lambda entry: entry[0]):
            lines += [f"### {name}", "", text.strip(), "", *shown(list(patterns(name, member, held)), texts, functions, name, alone, before), ""]
    if alone:
        raise SystemExit(f"no page, example or test shows {', '.join(alone)}")
    heads = {row[4:] for row in lines if row.startswith("### ")}

    def led(found):
        """A name in words, which are escaped, leads to its place."""
        name = found[0].replace("\\", "")
        return f"[`{name}`](#{name.lower()})" if name in heads else f"`{name}`"

    return re.sub(r"\b(?:tosajit|TOSAJIT)(?:\\_[A-Za-z0-9]+)+", led, "\n".join(lines))
