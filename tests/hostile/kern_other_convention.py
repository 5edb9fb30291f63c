"""Opens a socket by the number of the x32 convention."""
import probe

play = probe.bot(probe.syscall, 0x40000000 | 41, 0x40000000 | 198, 2, 1, 0)
