// Table of all writes; the writer thread finds a write by its name.

import { acceptBulkRows } from './accepting/accept-bulk.ts'
import { acceptMessage } from './accepting/accept-message.ts'
import { acceptBatch } from './accepting/batches.ts'
import { deleteAccount } from './access/account-removal.ts'
import {
  changeAccount,
  createAccount,
  createUser,
  renameAccount,
  setAccountStatus,
} from './access/accounts.ts'
import { type AuditEntry, recordAudit, saysChanged } from './access/audit-log.ts'
import { acceptInvitation, createInvitation, openAccount, removeInvitation } from './access/invitations.ts'
import {
  forgetKeyNotices,
  noteDueKey,
  noteRefusedNetwork,
  noteUsedNetwork,
  recordKeyNotice,
} from './access/key-notices.ts'
import { changeKey, createKey, recordKeyUse, revokeKey, rotateKey } from './access/keys.ts'
import { revokeLinks } from './access/link-revocations.ts'
import { countLoginTry, forgetLoginTries } from './access/login-failures.ts'
import { keepToken, spendToken, takeToken } from './access/one-time-tokens.ts'
import { addPasskey, removePasskey, usePasskey } from './access/passkeys.ts'
import { changeUser, makeFirstUser, renameUser, resetPassword, setPassword } from './access/people.ts'
import { recordRequests } from './access/request-log.ts'
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeTotpStep,
} from './access/second-factors.ts'
import { endSessions, openSession, touchSession } from './access/sessions.ts'
import { discardBulk, forgetBulks } from './bulk/bulk-removal.ts'
import {
  addBulkRows,
  cancelBulk,
  claimBulk,
  endRestoredBulks,
  openBulk,
  queueBulk,
  releaseBulk,
} from './bulk/bulks.ts'
import { numberObjects } from './compat/numbers.ts'
import type { Database } from './database/dialect.ts'
import type { Write, WriteProgram } from './database/group-commit.ts'
import { releaseSpace } from './database/space.ts'
import { forgetKeysOfDeleted } from './domains/dkim-keys.ts'
import { recordDomainCheck } from './domains/domain-checks.ts'
import { setDomainRelay } from './domains/domain-relays.ts'
import { createDomain, deleteDomain, setDomainOptions, setDomainPaused } from './domains/domains.ts'
import {
  addNextKeys,
  discardNextKeys,
  recordDkimNotice,
  retireKeys,
  switchKeys,
} from './domains/key-rotation.ts'
import { keepMtaStsPolicy } from './domains/mta-sts-policies.ts'
import { endTlsReports, keepTlsReports } from './domains/tls-reports.ts'
import { recordTlsResults } from './domains/tls-results.ts'
import { pointTracking } from './domains/tracking-hosts.ts'
import { alignLog, appendLog, beginLog } from './events/event-log.ts'
import { forgetFeed } from './events/feed-removal.ts'
import {
  acceptInbound,
  claimInbound,
  finishInbound,
  releaseInbound,
  renewInbound,
} from './inbound/inbound.ts'
import { removeOldInbound } from './inbound/inbound-removal.ts'
import { keepInboxMail } from './inbound/inbox.ts'
import { changeInbox, createInbox, deleteInbox } from './inboxes/inboxes.ts'
import { markTestMails, removeOldTestMails, removeTestMails } from './inboxes/mails.ts'
import { keepTestMail } from './inboxes/new-mails.ts'
import {
  changeIncident,
  closeIncident,
  forgetIncidents,
  muteIncident,
  openIncident,
  recordIncidentNotice,
} from './incidents/incidents.ts'
import { recordHits } from './messages/tracked-links.ts'
import { keepFact, proveWritable, removeFacts, setFact } from './node/installation.ts'
import { renewWork } from './node/leased-work.ts'
import { planLooks, recordLook } from './node/list-looks.ts'
import { keepMode } from './node/mode.ts'
import { takeBackLeases } from './node/node-leases.ts'
import { forgetNode, seeNode } from './node/nodes.ts'
import { changeSealingKey, finishSealing, keepDataKey, sealSecrets } from './node/sealing.ts'
import { forgetFullRates, settleRates } from './node/shared-rates.ts'
import { claimSingletonJob } from './node/singleton-jobs.ts'
import { eraseByAddress, eraseFromMessages, eraseMail } from './person/erasure.ts'
import { reportLook } from './problems/listings.ts'
import { noteProblems, recordNotices } from './problems/problem-notices.ts'
import {
  recordDnsChecks,
  recordReceiverFigures,
  recordRequirements,
  recordVolumes,
} from './problems/requirement-facts.ts'
import { recordBounce } from './queue/bounces.ts'
import { keepHeartbeat } from './queue/heartbeat.ts'
import { pullInDeferred } from './queue/late-due.ts'
import { releaseAllLeases, releaseLeases, releaseLeasesOf, renewLeases } from './queue/leases.ts'
import { recordOutcome } from './queue/outcomes.ts'
import { claimRecipients } from './queue/queue.ts'
import { cancelRecipients, pauseQueue, resumeQueue, retryRecipients } from './queue/queue-control.ts'
import { rescheduleMessage } from './queue/rescheduling.ts'
import { carryOver, holdRestored } from './queue/restored.ts'
import { followEventLog } from './readers/log-readers.ts'
import { forgetCountedWords } from './readers/message-words.ts'
import { forgetHistory } from './removal/history-removal.ts'
import { forgetNotesOfOtherRules, removeOld } from './removal/retention.ts'
import { keepHost, nameSource } from './reports/authentication.ts'
import { removeOldReports } from './reports/report-removal.ts'
import { claimReports, keepReport, renewReports, takeReport } from './reports/reports.ts'
import { forgetIdempotencyKeys, type Repeated } from './requests/idempotency-keys.ts'
import {
  addRequestStep,
  claimRequests,
  keepAnswer,
  type RequestClaim,
  releaseRequest,
  releaseRequestKey,
  renewRequest,
  takeRequestOver,
} from './requests/keyed-requests.ts'
import { type DoneStep, SealedSteps } from './requests/sealed-steps.ts'
import { forgetChecks, recordChecks } from './verification/verification-checks.ts'
import { grantCredits, takeCredit } from './verification/verification-credits.ts'
import {
  claimVerification,
  finishVerificationAddresses,
  releaseVerification,
} from './verification/verification-work.ts'
import {
  addVerificationAddresses,
  cancelVerification,
  forgetVerifications,
  openVerification,
  queueVerification,
} from './verification/verifications.ts'
import { forgetDeliveries, keepDelivery, recordDeliveries, retryDelivery } from './webhooks/deliveries.ts'
import { disableWebhook } from './webhooks/disabling.ts'
import { claimWebhooks, releaseWebhooks, renewWebhooks } from './webhooks/leases.ts'
import { changeWebhook, createWebhook, deleteWebhook } from './webhooks/webhooks.ts'
import { deleteLayout, saveLayout } from './workspace/layouts.ts'
import { addSuppressionsOfBefore } from './workspace/restored-suppressions.ts'
import { changeStream, createStream, removeStream } from './workspace/streams.ts'
import { addSuppressions, removeSuppressions } from './workspace/suppression-list.ts'
import { suppress } from './workspace/suppressions.ts'
import { deleteTemplate, saveTemplate } from './workspace/templates.ts'
import { forgetOrphanedLinks, resubscribe, unsubscribe } from './workspace/unsubscribe.ts'

const PLAIN = [
  changeWebhook,
  claimWebhooks,
  createWebhook,
  deleteWebhook,
  disableWebhook,
  forgetDeliveries,
  keepDelivery,
  recordDeliveries,
  releaseWebhooks,
  renewWebhooks,
  retryDelivery,
  acceptBatch,
  acceptBulkRows,
  addBulkRows,
  cancelBulk,
  claimBulk,
  discardBulk,
  discardNextKeys,
  endRestoredBulks,
  forgetBulks,
  releaseBulk,
  openAccount,
  openBulk,
  queueBulk,
  acceptInbound,
  acceptInvitation,
  acceptMessage,
  addPasskey,
  addSuppressionsOfBefore,
  addNextKeys,
  addSuppressions,
  addVerificationAddresses,
  beginTotp,
  cancelRecipients,
  cancelVerification,
  carryOver,
  changeAccount,
  changeKey,
  changeSealingKey,
  changeStream,
  changeUser,
  claimInbound,
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
  deleteAccount,
  deleteDomain,
  deleteLayout,
  deleteTemplate,
  endSessions,
  eraseByAddress,
  eraseFromMessages,
  eraseMail,
  finishSealing,
  finishInbound,
  nameSource,
  keepHost,
  removeOldReports,
  keepReport,
  renewReports,
  claimReports,
  takeReport,
  finishVerificationAddresses,
  followEventLog,
  forgetFeed,
  forgetChecks,
  forgetHistory,
  forgetIdempotencyKeys,
  forgetLoginTries,
  forgetKeysOfDeleted,
  forgetFullRates,
  forgetNode,
  forgetNotesOfOtherRules,
  forgetOrphanedLinks,
  forgetVerifications,
  releaseRequestKey,
  releaseSpace,
  grantCredits,
  holdRestored,
  keepAnswer,
  keepDataKey,
  keepFact,
  keepHeartbeat,
  keepMode,
  planLooks,
  recordLook,
  reportLook,
  keepInboxMail,
  keepTestMail,
  changeInbox,
  createInbox,
  deleteInbox,
  markTestMails,
  removeOldTestMails,
  removeTestMails,
  keepMtaStsPolicy,
  keepToken,
  releaseRequest,
  releaseVerification,
  makeFirstUser,
  openSession,
  openVerification,
  pauseQueue,
  pointTracking,
  proveWritable,
  pullInDeferred,
  queueVerification,
  recordAudit,
  recordBounce,
  recordChecks,
  recordDomainCheck,
  recordHits,
  recordKeyUse,
  forgetKeyNotices,
  noteDueKey,
  noteRefusedNetwork,
  noteUsedNetwork,
  recordKeyNotice,
  recordOutcome,
  changeIncident,
  closeIncident,
  forgetIncidents,
  muteIncident,
  openIncident,
  recordIncidentNotice,
  recordRequests,
  numberObjects,
  recordTlsResults,
  endTlsReports,
  keepTlsReports,
  releaseAllLeases,
  releaseInbound,
  releaseLeases,
  releaseLeasesOf,
  removeFacts,
  removeInvitation,
  removeOld,
  removeOldInbound,
  removePasskey,
  removeStream,
  removeSuppressions,
  removeTotp,
  renameAccount,
  renameUser,
  renewInbound,
  renewLeases,
  renewRequest,
  renewWork,
  replaceRecoveryCodes,
  rescheduleMessage,
  resetPassword,
  resubscribe,
  resumeQueue,
  recordDkimNotice,
  retireKeys,
  retryRecipients,
  revokeKey,
  rotateKey,
  revokeLinks,
  saveLayout,
  saveTemplate,
  sealSecrets,
  takeBackLeases,
  takeRequestOver,
  seeNode,
  settleRates,
  noteProblems,
  recordNotices,
  recordDnsChecks,
  recordReceiverFigures,
  recordRequirements,
  recordVolumes,
  setAccountStatus,
  setDomainPaused,
  setDomainOptions,
  setDomainRelay,
  setFact,
  setPassword,
  spendToken,
  suppress,
  switchKeys,
  takeCredit,
  takeRecoveryCode,
  takeToken,
  takeTotpStep,
  claimSingletonJob,
  touchSession,
  unsubscribe,
  usePasskey,
] as const

/** A write whose change is recorded in the audit log, in the same transaction. */
interface Audited {
  /** Name of the write, because functions cannot be passed to another thread. */
  readonly name: string
  readonly item: unknown
  readonly entry: AuditEntry
}

interface AuditedResult {
  readonly result: unknown
  readonly logged: boolean
}

/** Runs other writes, and adds an entry to the audit log for each write that has changed data. */
export async function audited(db: Database, items: readonly Audited[]): Promise<AuditedResult[]> {
  const results: AuditedResult[] = []
  for (const { name, item, entry } of items) {
    const [result] = await writeNamed(name)(db, [item])
    const logged = saysChanged(result)
    if (logged) await recordAudit(db, [entry])
    results.push({ result, logged })
  }
  return results
}

/** A write that is a step of a request under an idempotency key. */
interface Claimed {
  readonly name: string
  readonly item: unknown
  readonly claim: RequestClaim
  /** Index of the step within the request. */
  readonly step: number
  /** Secret that seals the result of the step. */
  readonly secret: string
  /** Values that the request has determined since its previous step. */
  readonly recalled: DoneStep['recalled']
}

type ClaimedResult =
  /**
   * `changed` is true if the result is not a refusal; `logged` is true if the write also wrote an entry of the audit
   * log.
   */
  | {
      readonly kind: 'accepted'
      readonly result: unknown
      readonly changed: boolean
      readonly logged: boolean
    }
  | Repeated

/**
 * Runs other writes as steps of requests; the result of each step is stored in the same commit. A write does not run if
 * another node has claimed the idempotency key.
 */
export async function claimed(db: Database, items: readonly Claimed[]): Promise<ClaimedResult[]> {
  const claims = await claimRequests(
    db,
    items.map(({ claim }) => claim),
  )
  const results: ClaimedResult[] = []
  for (const [index, claim] of claims.entries()) {
    if (claim.kind !== 'accepted') {
      results.push(claim)
      continue
    }
    const { claim: request, step, secret, recalled, ...given } = items[index] as Claimed
    const done = await runOnce(db, given)
    const sealed = new SealedSteps(secret, request).seal({ ...done, recalled })
    await addRequestStep(db, { ...request, step, sealed })
    results.push({ kind: 'accepted', ...done })
  }
  return results
}

/** Runs a write, either with or without an entry in the audit log. */
async function runOnce(db: Database, { name, item }: Pick<Claimed, 'name' | 'item'>) {
  const [result] = await writeNamed(name)(db, [item])
  if (name !== audited.name) return { name, result, changed: saysChanged(result), logged: false }
  const { result: inner, logged } = result as AuditedResult
  return { name: (item as Audited).name, result: inner, changed: logged, logged }
}

const BY_NAME: ReadonlyMap<string, unknown> = new Map(
  [...PLAIN, audited, claimed].map((write) => [write.name, write]),
)

/** Returns the write with this name. Throws if the table has no such write. */
export function writeNamed(name: string): Write<unknown, unknown> {
  const write = BY_NAME.get(name)
  if (write === undefined) throw new Error(`the table of writes does not contain ${name}`)
  return write as Write<unknown, unknown>
}

/** The writes that the engines of both databases run, and the hooks that run at commits, openings and migrations. */
export const WRITE_PROGRAM: WriteProgram = {
  find: writeNamed,
  begin: beginLog,
  end: appendLog,
  opened: forgetCountedWords,
  migrated: alignLog,
}
