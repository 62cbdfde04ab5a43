# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where converted models are kept. A folder, which threads and processes share, has

    <key>/             a converted model: model.onnx, its weights, and `complete`, which says how
    many regions it has; or that alone, which
                       says why it cannot be converted. That holds for a day, as the system may have
                       been the reason
    <file>.digest      what is known of a file that has not changed: its digest, and the names of
    files that a model keeps weights in
    .new-<name>        what is being made; its lock is held by whoever makes it
    lock               shared while an entry is opened, exclusive while one comes or goes

What somebody else can write is neither read nor written: the owner of the process, or root, must
own it, and nobody else may write it.
"""
import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time

USUAL_BYTES = 8 << 30
_HOUR = 3600
_DAY = 24 * _HOUR
_FAILED = "failed: "
_PATIENCE = 10  # seconds for a lock
_NEW = ".new-"


def _is_trusted(about):
    return about.st_uid in (os.geteuid(), 0) and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _make(path):
    """Make a folder and the folders around it, so that nobody else may read them."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except FileNotFoundError:
        parent = os.path.dirname(path)
        if parent == path:
            raise
        _make(parent)
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)


def _require(path, about):
    if not stat.S_ISDIR(about.st_mode):
        raise OSError(errno.ENOTDIR, "it is no directory", path)
    if about.st_uid not in (os.geteuid(), 0):
        raise OSError(errno.EPERM, "it belongs to another user", path)
    if not _is_trusted(about):
        raise OSError(errno.EPERM, "it can be written by others; chmod go-w it", path)


def folder_of(cache):
    """The folder of converted models below that one. An OSError says why there is none."""
    cache = os.path.abspath(os.fspath(cache))
    folder = os.path.join(cache, "onnx")
    with contextlib.suppress(OSError):  # one that is there may be read, if it cannot be made
        _make(folder)
    _require(cache, os.stat(cache))
    _require(folder, os.lstat(folder))
    return folder


def limit():
    """How many bytes all entries may have, by a variable."""
    word = os.environ.get("TOSAJIT_ONNX_CACHE_BYTES")
    if not word:
        return USUAL_BYTES
    if not word.isascii() or not word.isdigit():
        raise ValueError("TOSAJIT_ONNX_CACHE_BYTES is a number of bytes, not %r" % word)
    return int(word)


# ---------------------------------------------------------------------------------------------------------------------------------------
# Locks, which end with the process that holds them

def _acquire(descriptor, how):
    """False: somebody holds it too long, or the file system has none."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(0.005)
        except OSError:
            return False


@contextlib.contextmanager
def _locked(folder, how):
    """True if it is locked; a folder that cannot be written has no lock."""
    path, descriptor = os.path.join(folder, "lock"), -1
    try:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        yield descriptor >= 0 and _acquire(descriptor, how)
    finally:
        if descriptor >= 0:
            with contextlib.suppress(OSError):
                # a child that was forked meanwhile has the descriptor, too
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


# ---------------------------------------------------------------------------------------------------------------------------------------
# Entries

def _walk(place):
    """Each path in a folder, with what is known of it; links are not followed."""
    with os.scandir(place) as items:
        for item in items:
            about = item.stat(follow_symlinks=False)
            yield item.path, about
            if stat.S_ISDIR(about.st_mode):
                yield from _walk(item.path)


def complete(place, regions):
    """All of a converted model is in that folder."""
    with open(os.path.join(place, "complete"), "w") as file:
        file.write(str(regions))


def said_of(place):
    """(how many regions the model has, why it cannot be converted)"""
    with open(os.path.join(place, "complete"), errors="replace") as file:
        word = file.read()
    return (0, word[len(_FAILED):]) if word.startswith(_FAILED) else (int(word), None)


def _is_timely(place):
    """True if it is a model, or a failure of the last day. An unreadable entry counts: its reader
    finds the damage."""
    try:
        return (said_of(place)[1] is None
                or time.time() - os.stat(os.path.join(place, "complete")).st_mtime < _DAY)
    except ValueError:
        return True


def _is_entry(place):
    """True if all of it is there, and nobody else could have written it."""
    try:
        about = os.lstat(place)
        if (not stat.S_ISDIR(about.st_mode) or not _is_trusted(about)
            or not os.path.exists(os.path.join(place, "complete"))):
            return False
        trusted = all(_is_trusted(about) and (stat.S_ISREG(about.st_mode)
                                              or stat.S_ISDIR(about.st_mode))
                      for _, about in _walk(place))
        return trusted and _is_timely(place)
    except OSError:
        return False


def _mark_used(path):
    """The time of last use is that of modification; an hour's precision will do and saves
    writes."""
    with contextlib.suppress(OSError):
        if time.time() - os.stat(path).st_mtime > _HOUR:
            os.utime(path)


@contextlib.contextmanager
def found(folder, key):
    """The place of an entry, which stays there for as long; None: there is none."""
    if folder is None:
        yield None
        return
    place = os.path.join(folder, key)
    with _locked(folder, fcntl.LOCK_SH):
        there = _is_entry(place)
        if there and os.path.exists(os.path.join(place, "model.onnx")):
            _mark_used(os.path.join(place, "complete"))
        yield place if there else None


def drop(folder, key):
    """An entry that nobody can open. Whatever cannot be removed stays."""
    with _locked(folder, fcntl.LOCK_EX) as locked:
        if locked:
            shutil.rmtree(os.path.join(folder, key), ignore_errors=True)


def _is_abandoned(path, about):
    """True if its maker has begun it and is gone."""
    if time.time() - about.st_mtime < _HOUR:
        return False
    if not stat.S_ISDIR(about.st_mode):
        return True
    try:
        descriptor = os.open(os.path.join(path, "lock"), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _remove(path):
    with contextlib.suppress(OSError):
        os.unlink(path)
        return
    shutil.rmtree(path, ignore_errors=True)


def _sweep(folder):
    """Remove what is abandoned. Files of other names are somebody's: they stay."""
    for name in os.listdir(folder):
        if name.startswith(_NEW):
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):
                if _is_abandoned(path, os.lstat(path)):
                    _remove(path)


@contextlib.contextmanager
def fresh(folder):
    """A folder for a new entry. It is gone afterwards unless it is kept. Without a cache
    it is in the system's temporary one."""
    place = None
    with contextlib.suppress(OSError):
        if folder is not None:
            _sweep(folder)
            place = tempfile.mkdtemp(prefix=_NEW, dir=folder)
    place = place or tempfile.mkdtemp(prefix="tosajit-")
    try:
        descriptor = os.open(os.path.join(place, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC,
                             0o600)
        try:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield place
        finally:
            os.close(descriptor)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def keep(folder, key, place):
    """The new folder becomes the entry, unless there is an entry. An OSError says why not; then
    only later sessions take longer."""
    target = os.path.join(folder, key)
    if os.path.dirname(place) != folder:
        raise OSError(errno.EROFS, "it cannot be written", folder)
    for path, about in list(_walk(place)):  # whatever the user's mask is
        os.chmod(path, stat.S_IMODE(about.st_mode) & ~(stat.S_IWGRP | stat.S_IWOTH))
    with _locked(folder, fcntl.LOCK_EX) as locked:
        if not locked:
            raise OSError(errno.EWOULDBLOCK, "its lock is held, or it has none", folder)
        if _is_entry(target):
            return
        _remove(target)
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(place, "lock"))
        os.rename(place, target)
        _evict(folder, key)


def keep_failure(folder, key, place, why):
    """So that nobody tries it again."""
    for name in os.listdir(place):
        if name != "lock":
            _remove(os.path.join(place, name))
    complete(place, _FAILED + why)
    keep(folder, key, place)


def _listed(folder):
    """When each entry and each digest was used, its bytes, and its path."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            if name.endswith(".digest"):
                yield os.lstat(path).st_mtime, 4096, path
            elif not name.startswith(_NEW) and os.path.isdir(path):
                yield (os.lstat(os.path.join(path, "complete")).st_mtime,
                       sum(about.st_size for _, about in _walk(path)), path)


def _evict(folder, newest):
    """The least recently used ones go first; the newest entry stays."""
    most = limit()
    items = sorted(_listed(folder))
    held = sum(size for _, size, _ in items)
    if held <= most:
        return
    for _, size, path in items:
        if held <= most // 4 * 3:
            break
        if os.path.basename(path) != newest:
            _remove(path)
            held -= size


# ---------------------------------------------------------------------------------------------------------------------------------------
# Files that models are made of

# Fields of ONNX's messages that lead to a tensor's files: by number, the message that a field has.
_WAYS = {"model": {7: "graph", 20: "training", 25: "function"},
         "training": {1: "graph", 2: "graph"},
         "graph": {1: "node", 5: "tensor", 15: "sparse"}, "function": {7: "node", 11: "attribute"},
         "node": {5: "attribute"},
         "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse",
                       23: "sparse"},
         "sparse": {1: "tensor", 2: "tensor"}, "tensor": {13: "pair"},
         "pair": {1: "key", 2: "value"}}


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _fields(data, at, end):
    """(number, begin, end) of each field that is a block of bytes."""
    while at < end:
        tag, at = _varint(data, at)
        form = tag & 7
        if form == 0:
            _, at = _varint(data, at)
        elif form in (1, 5):
            at += 8 if form == 1 else 4
        elif form == 2:
            size, at = _varint(data, at)
            if size > end - at:
                raise IndexError
            yield tag >> 3, at, at + size
            at += size
        else:
            raise IndexError


def weights_of(data):
    """Names of the files that a model keeps weights in; of what is no model there are none."""
    names, left = set(), [("model", 0, len(data))] if b"location" in data else []
    try:
        while left:
            kind, at, end = left.pop()
            ways, pair = _WAYS[kind], {}
            for number, first, last in _fields(data, at, end):
                if kind == "pair":
                    pair[number] = bytes(data[first:last])
                elif number in ways:
                    left.append((ways[number], first, last))
            if pair.get(1) == b"location":
                names.add(pair.get(2, b"").decode())
    except (IndexError, UnicodeDecodeError):
        return []
    return sorted(names)


def _is_within(name):
    """The converter takes no others."""
    return name and not os.path.isabs(name) and ".." not in name.split("/") and "\0" not in name


def _read_record(path):
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)) as file:
            if not _is_trusted(os.fstat(file.fileno())):
                return None
            record = json.load(file)
    except (OSError, ValueError):
        return None
    fine = (isinstance(record, list) and len(record) == 2 and isinstance(record[0], str)
            and isinstance(record[1], list))
    return record if fine and all(isinstance(name, str) for name in record[1]) else None


def _write_record(folder, path, record):
    """Later sessions take longer without it."""
    with contextlib.suppress(OSError):
        descriptor, name = tempfile.mkstemp(prefix=_NEW, dir=folder)
        try:
            with open(descriptor, "w") as file:
                json.dump(record, file)
            os.replace(name, path)
        except OSError:
            os.unlink(name)


def _identity(path, about):
    return (os.path.realpath(path), about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns,
            about.st_ctime_ns)


def _digest_of(path, is_model):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        if is_model:
            data = file.read()
            return [hashlib.sha256(data).hexdigest(), weights_of(data)]
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
    return [digest.hexdigest(), []]


def _file(path, folder, is_model):
    """The digest of a file's bytes, and the names of its weights. The digest of a file that has not
    changed for seconds is not computed again."""
    about = os.stat(path)
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "it is no file", path)
    what = _identity(path, about)
    known = (folder and os.path.join(folder,
                                     hashlib.sha256(repr((what, is_model)).encode()).hexdigest()
                                     + ".digest"))
    record = known and _read_record(known)
    if record:
        _mark_used(known)
        return record
    record = _digest_of(path, is_model)
    settled = time.time_ns() - max(about.st_mtime_ns, about.st_ctime_ns) > 2e9
    if known and settled and _identity(path, os.stat(path)) == what:
        _write_record(folder, known, record)
    return record


def _weights_digests(names, beside, folder):
    """An unreadable file has no digest: the conversion of the model tells the error."""
    digests = []
    for name in names:
        digest = ""
        with contextlib.suppress(OSError):
            if _is_within(name):
                digest = _file(os.path.join(beside, name), folder, False)[0]
        digests.append((name, digest))
    return digests


def digest(path, folder):
    """Of the bytes of a model, and of the files that it keeps weights in."""
    own, names = _file(path, folder, True)
    return own, _weights_digests(names, os.path.dirname(os.path.abspath(path)), folder)


def digest_of_bytes(data, beside, folder):
    return hashlib.sha256(data).hexdigest(), _weights_digests(weights_of(data), beside, folder)


def write_model(data, beside, place):
    """A model that is given as bytes, as a file with its weights, which are copied only where they
    cannot be linked."""
    path = os.path.join(place, "given.onnx")
    with open(path, "wb") as file:
        file.write(data)
    for name in filter(_is_within, weights_of(data)):
        source, target = os.path.join(beside, name), os.path.join(place, name)
        if not os.path.isfile(source) or os.path.exists(target):
            continue  # the converter says it
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            os.link(os.path.realpath(source), target)
        except OSError:
            shutil.copyfile(source, target)
    return path
