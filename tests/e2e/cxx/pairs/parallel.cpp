// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduction, tasks and a critical section, with one right answer. Declared here, since omp.h may be
// missing.
#include <cstdio>

extern "C" int omp_get_max_threads(void);

int main() {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
  for (int i = 1; i <= 100000; ++i)
    sum += i;
  int tasks = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(tasks)
    {
#pragma omp atomic
      ++tasks;
    }
  }
  int threads = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    ++threads;
  }
  std::printf("sum %ld %d %d\n", sum, tasks, omp_get_max_threads() > 0 ? threads : 0);
}
