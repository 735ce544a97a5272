# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the scripts in this directory: system calls that strace makes fail one at a time.
full=${HOSTPIN_FULL:-0} # the next line resets it
# shellcheck disable=SC2034,SC2154 # of the scripts beside this, and of the room that it builds on
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/../failure/ground.sh"

# The errors to inject into each system call; the first is the only one in the short form. `=N` is a result instead of an error:
# a short read, or how brk fails. A call that is not in this table fails the test, so that the table stays complete.
declare -A faults=(
    [access]='EACCES ENOMEM' [arch_prctl]=EPERM [brk]==0 [chmod]=EPERM [clone]='EAGAIN ENOMEM' [clone3]='EAGAIN ENOMEM'
    [close]='EIO EINTR' [epoll_create1]='EMFILE ENOMEM' [epoll_ctl]='ENOMEM ENOSPC' [epoll_wait]=EINTR [eventfd2]='EMFILE ENOMEM'
    [execve]='EACCES ENOMEM ENOENT E2BIG' [faccessat2]='EACCES ENOMEM' [fchmod]='EPERM EIO' [fcntl]=EINVAL [flock]='ENOLCK EINTR'
    [fstat]='EIO ENOMEM' [ftruncate]=EIO [futex]=EINTR [getcwd]='ENOENT ENOMEM' [getdents64]='EIO ENOENT' [geteuid]=EPERM
    [getpid]=EPERM [getppid]=EPERM [getrandom]='EINTR ENOSYS' [gettid]=EPERM [ioctl]='EINVAL ENOTTY' [lseek]=ESPIPE
    [memfd_create]='EMFILE ENOMEM' [mkdir]='ENOSPC EACCES EROFS' [mmap]=ENOMEM [mprotect]=ENOMEM [munmap]=ENOMEM
    [newfstatat]='EIO EACCES ENOMEM EINTR' [openat]='EMFILE EACCES ENFILE EINTR ENOMEM' [pidfd_open]='EMFILE ENOMEM'
    [pipe2]='EMFILE ENFILE' [prctl]=EPERM [pread64]='EIO EINTR =0' [prlimit64]=EPERM [read]='EIO EINTR =0' [readlink]='EACCES ENOMEM'
    [rename]='ENOSPC EACCES EXDEV' [rmdir]='EACCES EIO' [rseq]=ENOSYS [rt_sigaction]=EINVAL [rt_sigprocmask]=EINVAL
    [sched_getaffinity]=ESRCH [set_robust_list]=ENOSYS [set_tid_address]=ENOSYS [setrlimit]=EPERM [sysinfo]=EFAULT
    [timerfd_create]='EMFILE ENOMEM' [timerfd_settime]=EINVAL [umask]=EPERM [uname]=EFAULT [utimensat]='EPERM EROFS' [unlink]='EACCES EIO'
    [unlinkat]='EACCES EIO' [vfork]='EAGAIN ENOMEM' [wait4]='ECHILD EINTR' [waitid]='ECHILD EINTR' [write]='ENOSPC EIO EINTR'
    [signalfd4]='EMFILE ENOMEM' [symlink]='ENOSPC EACCES' [link]='EPERM EMLINK EXDEV' [kill]='ESRCH EPERM')
# Calls that cannot fail, or whose failure the kernel does not report.
never_fail=' exit_group getpid getppid gettid geteuid getuid umask rt_sigreturn restart_syscall '

# In a static program the first two are the C library's own, which crashes without memory before any code of hostpin runs.
startup_crashes='brk 1|brk 2'

# points COMMAND...: each system call of a process as `NAME N`, the N-th of its name, up to its exec of another program, or to
# its end. Does not inject faults.
points() {
    strace -qq -o "$work/points" "$@" >/dev/null 2>&1 </dev/null || true
    awk '/^[a-z]/ { name = $0; sub(/\(.*/, "", name); print name, ++count[name] }
        /^execve/ && / = 0$/ && ++execs == 2 { exit }' "$work/points"
}
# faults_of NAME: the faults to inject there.
faults_of() {
    local list=${faults[$1]:-}
    if [ "$full" = 1 ]; then echo "$list"; else echo "${list%% *}"; fi
}

# disturbed NAME N FAULT COMMAND...: runs it while its N-th call of NAME fails so. FAULT is an errno, `=RESULT`, or a signal that
# arrives there.
disturbed() {
    local how
    case $3 in
    =*) how=retval=${3#=} ;;
    SIG*) how=signal=$3 ;;
    *) how=error=$3 ;;
    esac
    # one that hangs ends with 124 and no message
    { call timeout -k 5 600 strace -qq -o /dev/null -e "inject=$1:$how:when=$2" "${@:4}"; } 2>/dev/null # bash reports the crash
}
# wrong SENTENCE: a failure at the current point; all failures are printed together.
wrong() {
    { echo "$point: $*, exit code $status" && head -n 3 "$err" | sed 's/^/        /'; } >>"$work/findings"
}
# Ended correctly: with the result of a call without faults ($right checks it), or with a message of hostpin, the C library or
# the real tool, and no result.
judge() { # RIGHT
    if [ "$status" -eq 0 ]; then
        "$1" || wrong 'success, and the result is another'
    elif [ ! -s "$err" ]; then
        [[ $point =~ ^($startup_crashes)\  ]] || wrong 'failure without a word'
    elif grep -q 'terminate called\|Assertion' "$err"; then
        wrong 'failure by abort'
    fi
}
# With $only_of, ` NAME NAME `, only calls of these names.
# every FUNCTION COMMAND...: calls FUNCTION NAME N FAULT for each point of the command.
every() {
    local name n fault
    : >"$work/findings"
    points "${@:2}" >calls
    [ -s calls ] || fail "no system call of: ${*:2}"
    while read -r name n; do
        if [[ $never_fail == *" $name "* ]] || [[ -n ${only_of:-} && $only_of != *" $name "* ]]; then continue; fi
        [ -n "${faults[$name]:-}" ] || fail "no row for $name in the table of faults"
        for fault in $(faults_of "$name"); do
            point="$name $n $fault"
            "$1" "$name" "$n" "$fault"
        done
    done <calls
    [ ! -s "$work/findings" ] || { cat "$work/findings"; fail "$(grep -c '^[a-z]' "$work/findings") findings"; }
    echo "$(wc -l <calls) system calls"
}
