// Every endpoint on one page.

import type { Read } from '../store/store.ts'
import type { Submission } from '../submission/submit.ts'
import { listMessages } from './messages/list.ts'
import { sendMessage } from './messages/send.ts'
import { type ShowContent, showMessage, showRawMessage } from './messages/show.ts'
import type { Route } from './route.ts'

/** What the endpoints work with. */
export interface Services {
  readonly read: Read
  readonly submission: Submission
  readonly showContent: ShowContent
}

/** The endpoints under `/v1`, all of them for a Sending API key. */
export const routes = ({ read, submission, showContent }: Services): readonly Route[] => [
  sendMessage(submission),
  listMessages(read),
  showMessage(read, showContent),
  showRawMessage(showContent),
]
