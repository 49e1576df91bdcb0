// Lists all endpoints of the API.

import type { CredentialRates } from '../access/credential-rates.ts'
import type { Invitations } from '../access/invitations.ts'
import type { LoginNotices } from '../access/login-notices.ts'
import type { HashRecipient } from '../access/recipient-hash.ts'
import type { SharedLinks } from '../access/shared-links.ts'
import type { BulkSending } from '../bulk/bulk-sending.ts'
import type { Checking } from '../check/checking.ts'
import type { DomainWork } from '../domains/domain-work.ts'
import type { RequirementSettings } from '../health/requirement-panel.ts'
import type { InboundShowing } from '../inbound/show.ts'
import type { Clock } from '../lib/clock.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import type { QueueControl } from '../operator/queue.ts'
import type { ReportIntake } from '../reports/intake.ts'
import type { Read, Store } from '../store/database/store.ts'
import type { StreamEditing } from '../streams/stream-editing.ts'
import type { SuppressionList } from '../streams/suppression-list.ts'
import type { Cancellation } from '../submission/cancel.ts'
import type { SubmitRaw } from '../submission/raw-request.ts'
import type { Rescheduling } from '../submission/rescheduling.ts'
import type { Submission } from '../submission/submit.ts'
import type { LayoutEditing } from '../templates/layout-editing.ts'
import type { TemplateEditing } from '../templates/template-editing.ts'
import type { Templates } from '../templates/templates.ts'
import type { AccountVerification } from '../verification/account-verification.ts'
import type { AddressLists } from '../verification/address-lists.ts'
import type { WebhookEditing } from '../webhooks/webhook-editing.ts'
import { accountRoutes } from './account/routes.ts'
import { listOfAccountEvents, streamAccountEvents } from './account-events/routes.ts'
import { accountWebhookRoutes } from './account-webhooks/routes.ts'
import { operatedAccountRoutes } from './accounts/routes.ts'
import { listLog } from './audit/routes.ts'
import { listBulkRows } from './bulk/rows.ts'
import { sendBulk } from './bulk/send.ts'
import { cancelBulk, listBulks, showBulk } from './bulk/show.ts'
import { checkMessage } from './check/check.ts'
import type { SmtpListenerView } from './contract/smtp-credential.ts'
import { showCredits } from './credits/routes.ts'
import { domainRoutes } from './domains/routes.ts'
import { type Erase, eraseAddress } from './erasures/erase.ts'
import type { EventStreams } from './events/event-streams.ts'
import { listOfEvents } from './events/list.ts'
import { streamEvents } from './events/stream.ts'
import { explainMail } from './explain/explain.ts'
import { inboundRoutes } from './inbound/routes.ts'
import { inboxRoutes } from './inboxes/routes.ts'
import { incidentRoutes } from './incidents/routes.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { cancelMessage } from './messages/cancel.ts'
import { listMessages } from './messages/list.ts'
import { rescheduleMessage } from './messages/reschedule.ts'
import { retryMessage } from './messages/retry.ts'
import { sendMessage } from './messages/send.ts'
import { sendBatch } from './messages/send-batch.ts'
import { sendRawMessage } from './messages/send-raw.ts'
import { type ShowContent, type ShowRaw, showMessage, showRawMessage } from './messages/show.ts'
import { type ShownSetting, showSettings } from './operator/installation.ts'
import { operatorCommandRoutes } from './operator/routes.ts'
import { peopleRoutes } from './people/routes.ts'
import { authenticationRoutes } from './reports/authentication.ts'
import { reportRoutes } from './reports/routes.ts'
import { listOfRequests } from './requests/routes.ts'
import { showRequirements } from './requirements/routes.ts'
import type { Route } from './route.ts'
import { smtpCredentialRoutes } from './smtp-credentials/routes.ts'
import { showStats } from './stats/stats.ts'
import { streamRoutes } from './streams/routes.ts'
import { accountSuppressionRoutes } from './suppressions/account.ts'
import { suppressionChanges } from './suppressions/change.ts'
import { listSuppressions } from './suppressions/list.ts'
import { layoutRoutes, templateRoutes } from './templates/routes.ts'
import type { TimeLeft } from './time-left.ts'
import { cancelList, showList, showResults, verifyList } from './verifications/lists.ts'
import { verifyEmail, verifyEmailDetailed } from './verifications/verify-email.ts'
import { webhookRoutes } from './webhooks/of-domain.ts'

/** Services that the endpoints of the API use. */
export interface Services {
  readonly read: Read
  /** Store whose writes are part of the audit action of their request. */
  readonly store: Store
  readonly clock: Clock
  /** Notices to the owners of accounts. */
  readonly notices?: Pick<LoginNotices, 'tellOwners'> | undefined
  readonly invitations: Invitations
  /** Maximum size of the messages of an account without a limit of its own, in bytes; undefined for no limit. */
  readonly storedBytesPerAccount: number | undefined
  readonly domains: DomainWork
  /** Links to the DNS records of a domain for people without a login. */
  readonly recordLinks: SharedLinks
  /** Public URL, which gets the address of the HTTP listener once the server listens. */
  readonly publicUrl: PublicUrl
  /** Returns the host and ports of SMTP submission for programs. */
  readonly smtpListener: () => SmtpListenerView
  readonly submission: Submission
  readonly submitRaw: SubmitRaw
  /** Maximum size of a message as sent, in bytes. */
  readonly maxMessageBytes: number
  readonly bulks: BulkSending
  readonly cancellation: Cancellation
  /** Hashes an address like the request log hashes the recipients of refused requests. */
  readonly hashRecipient: HashRecipient
  readonly rescheduling: Rescheduling
  readonly showContent: ShowContent
  readonly showRaw: ShowRaw
  /** Opens the check of messages at its first use. */
  readonly openChecking: () => Promise<Checking>
  readonly showingInbound: InboundShowing
  readonly reports: ReportIntake
  /** Own IP addresses of the settings, from which mail is sent. */
  readonly ownAddresses: readonly string[]
  readonly rates: CredentialRates
  /** Maximum size of the body of a batch, in bytes. */
  readonly maxBatchBytes: number
  readonly queue: QueueControl
  /** Settings in force on this node. */
  readonly settings: readonly ShownSetting[]
  readonly erase: Erase
  /** Settings of the installation that decide requirements of large receivers. */
  readonly requirements: RequirementSettings
  readonly eventStreams: EventStreams
  readonly verification: AccountVerification
  readonly addressLists: AddressLists
  readonly timeLeft: TimeLeft
  readonly templates: Templates
  readonly templateEditing: TemplateEditing
  readonly layoutEditing: LayoutEditing
  readonly streamEditing: StreamEditing
  readonly suppressing: SuppressionList
  readonly webhooks: WebhookEditing
}

/**
 * Returns the endpoints under `/v1`: of a domain, of the verification of addresses, and of the account. Users call the
 * same endpoints under `/api` (`dashboard/routes.ts`).
 */
export const routes = (services: Services): readonly Route[] => {
  const { read, submission, cancellation, showContent, showRaw, rates, maxBatchBytes } = services
  const { verification, addressLists } = services
  const { templates, templateEditing, layoutEditing, streamEditing, suppressing } = services
  return [
    sendMessage(submission),
    sendBatch(submission, rates, maxBatchBytes),
    sendRawMessage(services.submitRaw, services.maxMessageBytes),
    checkMessage(services.openChecking),
    ...bulkRoutes(services),
    listMessages(read),
    showMessage(read, showContent),
    showRawMessage(showRaw),
    cancelMessage(read, cancellation),
    retryMessage(read, services.queue),
    explainMail(services),
    rescheduleMessage(read, services.rescheduling),
    listOfEvents(read),
    streamEvents(services.eventStreams),
    showStats(read, services.clock),
    showRequirements(services),
    ...templateRoutes(read, templateEditing, templates),
    ...layoutRoutes(read, layoutEditing),
    ...streamRoutes(streamEditing),
    ...inboundRoutes(read, services.showingInbound),
    listSuppressions(read),
    ...suppressionChanges(suppressing),
    ...accountSuppressionRoutes(read, suppressing),
    ...webhookRoutes(services),
    ...accountWebhookRoutes(services),
    listOfAccountEvents(read),
    streamAccountEvents(services.eventStreams),
    ...inboxRoutes(services),
    ...incidentRoutes(services),
    ...reportRoutes(services),
    ...authenticationRoutes(services),
    eraseAddress(services.erase),
    verifyEmail(verification),
    verifyEmailDetailed(verification),
    verifyList(addressLists),
    showList(services),
    showResults(read),
    cancelList(services, addressLists),
    ...keyRoutes(services),
    ...peopleRoutes(services),
    ...invitationRoutes(services),
    ...accountRoutes(services),
    listLog(services),
    listOfRequests(services),
    showCredits(services),
    ...operatedAccountRoutes(services),
    ...smtpCredentialRoutes(services),
    ...domainRoutes(services),
  ]
}

/** Services that the endpoints under `/v1/operator` use. */
export type OperatorServices = Pick<Services, 'queue' | 'settings' | 'read'>

/** Returns the endpoints under `/v1/operator`, which require the operator's token. */
export const operatorRoutes = ({ queue, settings, read }: OperatorServices): readonly Route[] => [
  showSettings(settings),
  ...operatorCommandRoutes(queue, read),
]

const bulkRoutes = ({
  read,
  bulks,
  timeLeft,
  maxBatchBytes,
}: {
  readonly read: Read
  readonly bulks: BulkSending
  readonly timeLeft: TimeLeft
  readonly maxBatchBytes: number
}): readonly Route[] => [
  sendBulk(bulks, maxBatchBytes),
  listBulks(read, timeLeft),
  showBulk(read, timeLeft),
  listBulkRows(read),
  cancelBulk(read, bulks, timeLeft),
]
