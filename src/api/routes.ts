// Every endpoint on one page.

import type { Read } from '../store/store.ts'
import type { Submission } from '../submission/submit.ts'
import type { AccountVerification } from '../verification/account-verification.ts'
import type { AddressLists } from '../verification/address-lists.ts'
import { listMessages } from './messages/list.ts'
import { sendMessage } from './messages/send.ts'
import { type ShowContent, showMessage, showRawMessage } from './messages/show.ts'
import type { Route } from './route.ts'
import { showList, showResults, verifyList } from './verifications/lists.ts'
import { verifyEmail, verifyEmailDetailed } from './verifications/verify-email.ts'

/** What the endpoints work with. */
export interface Services {
  readonly read: Read
  readonly submission: Submission
  readonly showContent: ShowContent
  readonly verification: AccountVerification
  readonly addressLists: AddressLists
}

/** The endpoints under `/v1`: for a Sending API key, then for a Verification API key. */
export const routes = ({
  read,
  submission,
  showContent,
  verification,
  addressLists,
}: Services): readonly Route[] => [
  sendMessage(submission),
  listMessages(read),
  showMessage(read, showContent),
  showRawMessage(showContent),
  verifyEmail(verification),
  verifyEmailDetailed(verification),
  verifyList(addressLists),
  showList(read),
  showResults(read),
]
