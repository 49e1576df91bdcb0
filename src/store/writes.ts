// Every write by its name: the one table that the writer runs from.

import { createAccount, createUser, setAccountStatus } from './accounts.ts'
import { acceptBatch } from './batches.ts'
import { recordBounce } from './bounces.ts'
import { setDomainRelay } from './domain-relays.ts'
import { createDomain, recordDomainCheck } from './domains.ts'
import type { Write } from './group-commit.ts'
import { keepInboxMail } from './inbox.ts'
import { keepFact } from './installation.ts'
import { createKey, recordKeyUse, revokeKey } from './keys.ts'
import { deleteLayout, saveLayout } from './layouts.ts'
import { handBack, releaseAllLeases, renewLeases } from './leases.ts'
import { emptyMailbox, keepMail } from './mailbox.ts'
import { acceptMessage, forgetIdempotencyKeys } from './messages.ts'
import { keepMtaStsPolicy } from './mta-sts-policies.ts'
import { recordOutcome } from './outcomes.ts'
import { claimRecipients } from './queue.ts'
import { cancelRecipients, pauseQueue, resumeQueue, retryRecipients } from './queue-control.ts'
import { endSessions, openSession, touchSession } from './sessions.ts'
import { changeStream, createStream, removeStream } from './streams.ts'
import { addSuppressions, removeSuppressions } from './suppression-list.ts'
import { suppress } from './suppressions.ts'
import { deleteTemplate, saveTemplate } from './templates.ts'
import { recordTlsResults } from './tls-results.ts'
import { resubscribe, unsubscribe } from './unsubscribe.ts'
import { grantCredits, takeCredit } from './verification-credits.ts'
import {
  addVerificationAddresses,
  claimVerification,
  finishVerificationAddress,
  forgetVerifications,
  freeVerifications,
  leaveVerification,
  openVerification,
  queueVerification,
  renewVerification,
} from './verifications.ts'

/** Each takes the items that came together and answers one result for each, inside one transaction. */
export const WRITES = {
  acceptBatch,
  acceptMessage,
  addSuppressions,
  addVerificationAddresses,
  cancelRecipients,
  changeStream,
  claimRecipients,
  claimVerification,
  createAccount,
  createDomain,
  createKey,
  createStream,
  createUser,
  deleteLayout,
  deleteTemplate,
  emptyMailbox,
  endSessions,
  finishVerificationAddress,
  forgetIdempotencyKeys,
  forgetVerifications,
  freeVerifications,
  grantCredits,
  handBack,
  keepFact,
  keepInboxMail,
  keepMail,
  keepMtaStsPolicy,
  leaveVerification,
  openSession,
  openVerification,
  pauseQueue,
  queueVerification,
  recordBounce,
  recordDomainCheck,
  recordKeyUse,
  recordOutcome,
  recordTlsResults,
  releaseAllLeases,
  removeStream,
  removeSuppressions,
  renewLeases,
  renewVerification,
  resubscribe,
  resumeQueue,
  retryRecipients,
  revokeKey,
  saveLayout,
  saveTemplate,
  setAccountStatus,
  setDomainRelay,
  suppress,
  takeCredit,
  touchSession,
  unsubscribe,
} as const

export type WriteName = keyof typeof WRITES
export type WriteItem<Name extends WriteName> =
  (typeof WRITES)[Name] extends Write<infer Item, infer _Result> ? Item : never
export type WriteResult<Name extends WriteName> =
  (typeof WRITES)[Name] extends Write<infer _Item, infer Result> ? Result : never
