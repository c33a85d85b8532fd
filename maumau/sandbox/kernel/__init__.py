"""A sandbox's means of the kernel: filters of calls, control groups, devices."""
