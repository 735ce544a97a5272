// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "tests/unit/toolchains/redist/audit/facts.hpp"
#include "toolchains/redist/audit/nature.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;
using Kind = Nature::Kind;

namespace {

Nature nature(const std::string& bytes, const std::string& name = "x") {
  return nature_of(binary::Blob(bytes), name, test::audit_facts());
}

} // namespace

TEST_CASE("a text is NVIDIA's by its notice, unless it has an open license") {
  struct Case {
    const char* text;
    Kind kind;
  };
  const Case cases[] = {
      {"/* Copyright 1993-2023 NVIDIA Corporation.\n *\n * NOTICE TO LICENSEE:\n", Kind::nvidia},
      {"/*\n * Copyright (c) 2022, NVIDIA CORPORATION.\n * NVIDIA CORPORATION and its licensors retain all "
       "intellectual "
       "property\n * and proprietary rights in and to this software\n",
       Kind::nvidia},
      {"# Copyright (c) 2018, NVIDIA CORPORATION.  All rights reserved.\n#\n# Licensed under the Apache "
       "License, "
       "Version 2.0 (the \"License\");\n",
       Kind::open_source},
      {"# Copyright 2018 NVIDIA Corporation\n# Redistribution and use in source and\n# binary forms, with or "
       "without\n",
       Kind::open_source},
      {"// SPDX-FileCopyrightText: Copyright (c) 2023 NVIDIA CORPORATION\n// SPDX-License-Identifier: "
       "Apache-2.0\n",
       Kind::open_source},
      {"// Copyright (c) 2023 NVIDIA CORPORATION\n// SPDX-License-Identifier: LicenseRef-NvidiaProprietary\n"
       "// Licensed under the Apache License\n",
       Kind::nvidia},
      {"# Copyright (c) NVIDIA CORPORATION\nimport x\n", Kind::nvidia},
      {"# Copyright 2020 Someone\n\n\n# runs on GPUs of NVIDIA Corporation\n", Kind::other},
      {"# for NVIDIA GPUs\n", Kind::other},
      {"", Kind::other},
  };
  for (const Case& one : cases)
    CHECK_MESSAGE(nature(one.text).kind == one.kind, one.text);
  CHECK(nature(cases[4].text).why == "Apache-2.0");
}

TEST_CASE("a library is NVIDIA's by its soname, or by the versions of its symbols") {
  const auto build = [](const std::string& soname, const std::vector<std::string>& versions) {
    return test::ElfBuilder(true, true).build(soname, versions);
  };
  CHECK(nature(build("libcublas.so.13", {})).part == "libcublas.so.13");
  CHECK(nature(build("renamed.so", {"libcudart.so.13"})).part == "libcudart.so.13");
  CHECK(nature(build("libnccl.so.2", {})).kind == Kind::open_source);
  CHECK(nature(build("libown.so", {"OWN_1"}), "libcublas.so.13").kind == Kind::other);
}

TEST_CASE("code of NVIDIA's that is linked into a file is found after strip") {
  const std::string own = test::ElfBuilder(true, true).build("libown.so", {});
  CHECK(nature(own + "/cudart.shm.%x").linked == std::vector<std::string>{"libcudart_static.a"});
  CHECK(nature(own + "/cudart.shm.%x").kind == Kind::linked);
  // Across the pieces in which a file is read.
  const std::string far(std::size_t{1} << 20U, '.');
  CHECK(nature(own + far.substr(own.size() + 5) + "__CNPRT_VERSION_NUMBER__" + far).linked ==
        std::vector<std::string>{"libcudadevrt.a"});
}

TEST_CASE("a damaged ELF file is read as far as it goes") {
  const std::string whole = test::ElfBuilder(true, true).build("libcudart.so.13", {"libcudart.so.13"});
  for (std::size_t size = 0; size < whole.size(); ++size)
    nature(whole.substr(0, size));
  CHECK(nature(std::string("\x7f"
                           "ELF\2\1\1\0",
                           8) +
               "/cudart.shm.")
            .kind == Kind::linked);
}

TEST_CASE("sections of a hostile file that are all the whole file are read once") {
  constexpr std::size_t count = 60000;
  std::string file(std::size_t{16} << 20U, '\0');
  Elf64_Ehdr header{};
  std::copy_n(ELFMAG, SELFMAG, header.e_ident);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_shoff = header.e_ehsize = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = count;
  std::memcpy(file.data(), &header, sizeof(header));
  Elf64_Shdr section{};
  section.sh_type = SHT_PROGBITS;
  section.sh_size = file.size();
  for (std::size_t i = 1; i < count; ++i) // a terabyte, which takes minutes
    std::memcpy(file.data() + sizeof(header) + i * sizeof(section), &section, sizeof(section));
  file.replace(file.size() - 20, 12, "/cudart.shm.");
  CHECK(nature(file).linked == std::vector<std::string>{"libcudart_static.a"});
}
