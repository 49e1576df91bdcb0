// Connections to mail hosts as a node has them: in the thread of the test, or in one of their own.

import { type Connect, connect as connectHere } from '../../src/smtp/connection.ts'
import { DialogThreads } from '../../src/smtp/threads/dialog-threads.ts'

/** The setting of nodes under test. `test/together/1-once/threads.test.ts` has the other value than all others. */
export const deliveryThreads = (): string => process.env.TEST_DELIVERY_THREADS ?? '0'

/** Opens connections as such a node does. The thread starts with the first, and keeps no process from ending. */
export const connect: Connect = deliveryThreads() === '0' ? connectHere : new DialogThreads(1).connect
