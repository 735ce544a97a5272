# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""graph.py PAGE FILE LIBRARY|none: whether the page's lists say that FILE leads to LIBRARY, and to no other."""
import html
import re
import sys

page, path, wanted = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    section = file.read().split('<h2 id="libraries">')[1].split("</section>")[0]
found = []
for part in section.split("<h3>")[1:]:
    library = html.unescape(re.search(r'<span class="path">([^<]*)</span>', part).group(1))
    files = [html.unescape(name) for name in re.findall(r'<li><span class="path">([^<]*)</span>', part)]
    found += [library] * files.count(path)
if found != ([] if wanted == "none" else [wanted]):
    sys.exit(f"{path} leads to {found or 'nothing'} on the page, and to {wanted} by its loader")
