"""Opens a handle to its parent, to signal it or to take its descriptors."""
import os
import probe

play = probe.bot(probe.syscall, 434, 434, os.getppid() or 1, 0)
