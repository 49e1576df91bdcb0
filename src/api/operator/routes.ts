// Lists all endpoints of the operator.

import type { QueueControl } from '../../operator/queue.ts'
import type { Read } from '../../store/database/store.ts'
import type { Route } from '../route.ts'
import { listListings } from './installation.ts'
import { listQueue, listQueuedRecipients, showQueuedMessage } from './queue.ts'
import { actOnQueue, pauseQueue, resumeQueue } from './queue-actions.ts'

/** Returns the endpoints of the operator that commands on the machine call as well. */
export const operatorCommandRoutes = (queue: QueueControl, read: Read): readonly Route[] => [
  ...queueRoutes(queue),
  listListings(read),
]

/** Returns the endpoints of the mail queue, which require the operator's token or a scope of the operator. */
const queueRoutes = (queue: QueueControl): readonly Route[] => [
  listQueue(queue),
  listQueuedRecipients(queue),
  showQueuedMessage(queue),
  actOnQueue(queue, 'retry'),
  actOnQueue(queue, 'cancel'),
  pauseQueue(queue),
  resumeQueue(queue),
]
