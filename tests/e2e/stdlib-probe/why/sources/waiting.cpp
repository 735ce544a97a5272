// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <barrier>
#include <iostream>
#include <semaphore>
#include <stop_token>
#include <syncstream>
#include <thread>

std::counting_semaphore<4> slots(2);

void work(std::stop_token stop) {
  std::barrier meeting(1);
  while (!stop.stop_requested()) {
    slots.acquire();
    std::osyncstream(std::cout) << "working\n";
    meeting.arrive_and_wait();
    slots.release();
  }
}
void start() {
  std::jthread worker(work);
}
