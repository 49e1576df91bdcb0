// Every write by its name: the one table that the writer runs from.

import { changeAccount, createAccount, createUser, renameAccount, setAccountStatus } from './accounts.ts'
import { type AuditEntry, recordAudit, saysChanged } from './audit-log.ts'
import { acceptBatch } from './batches.ts'
import { recordBounce } from './bounces.ts'
import type { Database } from './dialect.ts'
import { addNextKeys, forgetKeysOfDeleted, retireKeys, switchKeys } from './dkim-keys.ts'
import { setDomainRelay } from './domain-relays.ts'
import { createDomain, deleteDomain, recordDomainCheck, setDomainPaused } from './domains.ts'
import { takeDuty } from './duties.ts'
import type { Write } from './group-commit.ts'
import { forgetHistory } from './history-removal.ts'
import { keepInboxMail } from './inbox.ts'
import { keepFact } from './installation.ts'
import { acceptInvitation, createInvitation, removeInvitation } from './invitations.ts'
import { createKey, recordKeyUse, revokeKey } from './keys.ts'
import { deleteLayout, saveLayout } from './layouts.ts'
import { handBack, releaseAllLeases, renewLeases } from './leases.ts'
import { countLoginTry, forgetLoginTries } from './login-failures.ts'
import { emptyMailbox, keepMail } from './mailbox.ts'
import { acceptMessage, forgetIdempotencyKeys } from './messages.ts'
import { keepMtaStsPolicy } from './mta-sts-policies.ts'
import { forgetNode, seeNode } from './nodes.ts'
import { keepToken, takeToken } from './one-time-tokens.ts'
import { recordOutcome } from './outcomes.ts'
import { addPasskey, removePasskey, usePasskey } from './passkeys.ts'
import { changeUser, makeFirstUser, renameUser, resetPassword, setPassword } from './people.ts'
import { claimRecipients } from './queue.ts'
import { cancelRecipients, pauseQueue, resumeQueue, retryRecipients } from './queue-control.ts'
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeTotpStep,
} from './second-factors.ts'
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

const PLAIN = {
  acceptBatch,
  acceptInvitation,
  acceptMessage,
  addPasskey,
  addNextKeys,
  addSuppressions,
  addVerificationAddresses,
  beginTotp,
  cancelRecipients,
  changeAccount,
  changeStream,
  changeUser,
  claimRecipients,
  claimVerification,
  confirmTotp,
  countLoginTry,
  createAccount,
  createDomain,
  createInvitation,
  createKey,
  createStream,
  createUser,
  deleteDomain,
  deleteLayout,
  deleteTemplate,
  emptyMailbox,
  endSessions,
  finishVerificationAddress,
  forgetHistory,
  forgetIdempotencyKeys,
  forgetLoginTries,
  forgetKeysOfDeleted,
  forgetNode,
  forgetVerifications,
  freeVerifications,
  grantCredits,
  handBack,
  keepFact,
  keepInboxMail,
  keepMail,
  keepMtaStsPolicy,
  keepToken,
  leaveVerification,
  makeFirstUser,
  openSession,
  openVerification,
  pauseQueue,
  queueVerification,
  recordAudit,
  recordBounce,
  recordDomainCheck,
  recordKeyUse,
  recordOutcome,
  recordTlsResults,
  releaseAllLeases,
  removeInvitation,
  removePasskey,
  removeStream,
  removeSuppressions,
  removeTotp,
  renameAccount,
  renameUser,
  renewLeases,
  renewVerification,
  replaceRecoveryCodes,
  resetPassword,
  resubscribe,
  resumeQueue,
  retireKeys,
  retryRecipients,
  revokeKey,
  saveLayout,
  saveTemplate,
  seeNode,
  setAccountStatus,
  setDomainPaused,
  setDomainRelay,
  setPassword,
  suppress,
  switchKeys,
  takeCredit,
  takeRecoveryCode,
  takeToken,
  takeTotpStep,
  takeDuty,
  touchSession,
  unsubscribe,
  usePasskey,
} as const

/** A write whose change is logged in the same transaction. */
interface Audited {
  readonly name: keyof typeof PLAIN
  readonly item: unknown
  readonly entry: AuditEntry
}

interface AuditedResult {
  readonly result: unknown
  readonly logged: boolean
}

/** Runs other writes, each with its entry in the audit log unless it says that it changed nothing. */
async function audited(db: Database, items: readonly Audited[]): Promise<AuditedResult[]> {
  const results: AuditedResult[] = []
  for (const { name, item, entry } of items) {
    const [result] = await (PLAIN[name] as Write<unknown, unknown>)(db, [item])
    const logged = saysChanged(result)
    if (logged) await recordAudit(db, [entry])
    results.push({ result, logged })
  }
  return results
}

/** Each takes the items that came together and answers one result for each, inside one transaction. */
export const WRITES = { ...PLAIN, audited } as const

export type WriteName = keyof typeof WRITES
export type WriteItem<Name extends WriteName> =
  (typeof WRITES)[Name] extends Write<infer Item, infer _Result> ? Item : never
export type WriteResult<Name extends WriteName> =
  (typeof WRITES)[Name] extends Write<infer _Item, infer Result> ? Result : never
