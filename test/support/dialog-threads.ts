// Connections to mail hosts that run in a thread, as in a node.

import type { Connect } from '../../src/smtp/connection.ts'
import { DialogThreads } from '../../src/smtp/threads/dialog-threads.ts'

/**
 * Opens connections as a node does. The thread starts with the first connection, and does not keep the process alive.
 */
export const connect: Connect = new DialogThreads(1).connect
