// Names of the shapes in the OpenAPI document; client generators use these names for their types.

import * as account from './account.ts'
import * as audit from './audit.ts'
import * as bulk from './bulk.ts'
import { ProblemDocument, Timestamp } from './common.ts'
import * as credits from './credits.ts'
import * as event from './event.ts'
import * as inbound from './inbound.ts'
import * as key from './key.ts'
import * as message from './message.ts'
import * as operator from './operator.ts'
import * as person from './person.ts'
import * as request from './request.ts'
import * as stats from './stats.ts'
import * as stream from './stream.ts'
import * as suppression from './suppression.ts'
import * as template from './template.ts'
import * as verification from './verification.ts'
import * as webhook from './webhook.ts'

/** Shapes by name; a new endpoint needs entries for its body and its response. */
export const SHAPE_NAMES = {
  Problem: ProblemDocument,
  Timestamp,
  Mailbox: message.Mailbox,
  Attachment: message.Attachment,
  SendRequest: message.SendBody,
  SendAnswer: message.SendAnswer,
  BatchAnswer: message.BatchAnswer,
  BulkMessage: bulk.BulkMessageBody,
  BulkRow: bulk.BulkRowBody,
  BulkAnswer: bulk.BulkAnswer,
  Bulk: bulk.BulkView,
  BulkList: bulk.BulkList,
  BulkRows: bulk.BulkRows,
  Held: message.HeldView,
  MessageRecipient: message.RecipientView,
  MessageSummary: message.MessageSummary,
  Message: message.MessageView,
  MessageList: message.MessageList,
  Event: event.EventView,
  EventList: event.EventList,
  Stats: stats.StatsView,
  InboundAuthentication: inbound.Authentication,
  InboundSummary: inbound.InboundSummaryView,
  InboundList: inbound.InboundList,
  InboundMessage: inbound.InboundView,
  StreamRequest: stream.StreamBody,
  StreamChange: stream.StreamPatch,
  Stream: stream.StreamView,
  StreamList: stream.StreamList,
  SuppressionRequest: suppression.AddBody,
  SuppressionRemoval: suppression.RemoveBody,
  Suppression: suppression.SuppressionView,
  SuppressionList: suppression.SuppressionList,
  SuppressionsAdded: suppression.Added,
  SuppressionsRemoved: suppression.Removed,
  TemplateRequest: template.TemplateBody,
  Template: template.TemplateView,
  TemplateList: template.TemplateList,
  LayoutRequest: template.LayoutBody,
  Layout: template.LayoutView,
  LayoutList: template.LayoutList,
  VersionList: template.VersionList,
  TemplateVersion: template.TemplateVersionView,
  LayoutVersion: template.LayoutVersionView,
  RenderRequest: template.RenderBody,
  DraftRequest: template.DraftBody,
  Rendered: template.RenderedView,
  Verification: verification.SimpleVerification,
  DetailedVerification: verification.DetailedVerification,
  AddressList: verification.AddressList,
  VerificationListAccepted: verification.ListAnswer,
  VerificationList: verification.ListView,
  ListedVerification: verification.ListedVerification,
  VerificationResults: verification.ListResults,
  WebhookRequest: webhook.WebhookBody,
  WebhookChange: webhook.WebhookPatch,
  Webhook: webhook.WebhookView,
  WebhookWithSecret: webhook.WebhookCreated,
  WebhookList: webhook.WebhookList,
  WebhookTest: webhook.TestBody,
  SecretRotation: webhook.RotateBody,
  EventReplay: webhook.ReplayBody,
  WebhookAttempt: webhook.Attempt,
  WebhookDelivery: webhook.DeliveryView,
  WebhookDeliveryDetails: webhook.DeliveryDetails,
  WebhookDeliveryList: webhook.DeliveryList,
  Scope: key.ScopeName,
  Key: key.KeyView,
  KeyWithSecret: key.KeyMade,
  KeyList: key.KeyList,
  KeyRequest: key.NewKeyBody,
  KeyChange: key.KeyPatch,
  KeyRotation: key.KeyRotation,
  CurrentKey: key.CurrentKey,
  User: person.UserView,
  UserList: person.UserList,
  UserChange: person.UserPatch,
  Invitation: person.InvitationView,
  InvitationList: person.InvitationList,
  InvitationRequest: person.InvitationBody,
  InvitationWithLink: person.InvitationMade,
  Account: account.AccountView,
  AccountChange: account.AccountPatch,
  Usage: account.UsageView,
  AuditEntry: audit.AuditView,
  AuditLog: audit.AuditList,
  LoggedRequest: request.RequestView,
  RequestLog: request.RequestListView,
  Credits: credits.CreditsView,
  Queue: operator.QueueAnswer,
  WaitingRecipients: operator.WaitingAnswer,
  QueueAction: operator.QueueActionBody,
  QueueActionAnswer: operator.QueueActionAnswer,
  Hold: operator.PauseBody,
  Resume: operator.ResumeBody,
  HoldAnswer: operator.HoldAnswer,
  InspectedMessage: operator.InspectedAnswer,
} as const
