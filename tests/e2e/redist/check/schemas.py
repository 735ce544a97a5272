#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: schemas.py DIRECTORY CASES...     the cases of the schemas in DIRECTORY, by file name
          schemas.py SCHEMA --valid FILE...  exits with 1 if a file is not valid"""
import copy
import json
import sys

import jsonschema

UNTYPED = [7]  # no key has an array of numbers as its value


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def validator(path):
    schema = read(path)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def parent_of(document, pointer):
    """The container that a JSON pointer leads into, and the key or index in it."""
    *path, last = [name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:]]
    for name in path:
        document = document[int(name) if isinstance(document, list) else name]
    return document, int(last) if isinstance(document, list) else last


def patched(document, patch):
    """RFC 6902, the operations that the cases use."""
    document = copy.deepcopy(document)
    for step in patch:
        value = step.get("value")
        if step["op"] in ("remove", "move"):
            container, key = parent_of(document, step.get("from", step["path"]))
            value = container.pop(key)
        if step["op"] in ("add", "move", "replace"):
            container, key = parent_of(document, step["path"])
            assert step["op"] != "replace" or key in container or isinstance(container, list)
            container[key] = value
    return document


def changes(value):
    """Copies in which one value has another type, or one object another key."""
    if isinstance(value, dict):
        yield {**value, "no such key": UNTYPED}
        for key in value:
            yield from ({**value, key: changed} for changed in changes(value[key]))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from (value[:index] + [changed] + value[index + 1 :] for changed in changes(item))
    else:
        yield UNTYPED


def check_cases(schema, cases):
    """Counts what was refused; yields what is not as it should be."""
    wrong, refused = [], 0
    for title, example in cases["examples"].items():
        wrong += [f"{title}: {error.message}" for error in schema.iter_errors(example)]
        for changed in changes(example):
            refused += 1
            if schema.is_valid(changed):
                wrong.append(f"accepted: {title}: {json.dumps(changed)}")
    for case in cases["refused"]:
        refused += 1
        if schema.is_valid(patched(cases["examples"][case["example"]], case["patch"])):
            wrong.append(f"accepted: {case}")
    return wrong, refused


def main(first, *rest):
    wrong = []
    if rest[0] == "--valid":
        schema = validator(first)
        for path in rest[1:]:
            wrong += [f"{path}: {'/'.join(map(str, error.path))}: {error.message}" for error in schema.iter_errors(read(path))]
    else:
        for path in rest:
            name = path.rpartition("/")[2].removesuffix(".json")
            found, refused = check_cases(validator(f"{first}/{name}.schema.json"), read(path))
            wrong += [f"{name}: {one}" for one in found]
            print(f"{name}: {refused} changes refused")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
