// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmt as a static library, which Debian does not have: from the headers that everything is compiled with.
#include <fmt/format-inl.h>

template FMT_API fmt::detail::thousands_sep_result<char>
    fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref);
template FMT_API char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
template FMT_API std::locale fmt::detail::locale_ref::get<std::locale>() const; // of fmt/chrono.h
