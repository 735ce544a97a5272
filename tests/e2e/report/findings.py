# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""findings.py TREE PATH: 10,000 small files in TREE that refer to PATH. findings.py --hostile: an answer of leak-check
whose texts would like to be something else."""
import json
import os
import sys

HOSTILE = ["</script><script>intruder = 1</script>", "<!-- <script>", "<img src=x onerror=intruder=1>", "\u2028\u2029",
           "\u202egnp.exe", "]]><style>*{display:none}</style>", "\x00\x1b[31m\n", "{{script}}", "\" onfocus=intruder=1 '&amp;", "endless" * 60]


def finding(text):
    keys = ("rule", "severity", "path", "section", "reference", "resolved", "explanation", "cure", "fingerprint")
    return {**{key: text for key in keys}, "severity": "error", "member": [text], "offset": 1}


if sys.argv[1] == "--hostile":
    json.dump({"schema": 1, "files": 1, "bytes": 1, "findings": [finding(text) for text in HOSTILE],
               "unseen": [{"path": text, "member": [text], "reason": text} for text in HOSTILE]}, sys.stdout)
else:
    tree, path = sys.argv[1:]
    for i in range(10000):
        folder = f"{tree}/{i // 500}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/file{i:04}.txt", "w", encoding="utf-8") as file:
            file.write(f"built by {path}/bin/g++ number {i}\n")
