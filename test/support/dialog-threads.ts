// Connections to mail hosts as a node has them: in a thread of their own.

import type { Connect } from '../../src/smtp/connection.ts'
import { DialogThreads } from '../../src/smtp/threads/dialog-threads.ts'

/** Opens connections as a node does. The thread starts with the first, and keeps no process from ending. */
export const connect: Connect = new DialogThreads(1).connect
