"""Makes a timer of the kernel, one of many that it could."""
import probe

play = probe.bot(probe.syscall, 222, 107, 1, None, bytes(8))
