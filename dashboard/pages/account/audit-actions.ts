// Actions of the audit log in words: `key.create` is "Key created".

import { inWords } from '../../parts/in-words.ts'

const NAMES: Readonly<Record<string, string>> = {
  'session.open': 'Logged in',
  'session.end': 'Logged out',
  'session.refuse': 'Login rejected',
  'message.create': 'Message sent',
  'message-links.revoke': 'Links to message revoked',
  'record-links.revoke': 'Links to DNS records revoked',
  'message.batch': 'Batch sent',
  'bulk.create': 'Mail to many sent',
  'bulk.cancel': 'Mail to many cancelled',
  'smtp-credential.create': 'SMTP credential created',
  'smtp-credential.revoke': 'SMTP credential revoked',
  'webhook.replay': 'Events replayed to webhook',
  'webhook.retry': 'Webhook delivery retried',
  'webhook.rotate': 'Webhook secret rotated',
  'totp.create': 'Authenticator app set up',
  'totp.delete': 'Authenticator app removed',
  'domain.dkim.rotate': 'New DKIM keys created',
  'domain.dkim.switch': 'Signing switched to new DKIM keys',
  'domain.dkim.discard': 'New DKIM keys discarded',
  'domain.dkim.retire': 'Old DKIM keys retired',
  'template.versions.restore': 'Template version restored',
  'layout.versions.restore': 'Layout version restored',
}

const PAST: Readonly<Record<string, string>> = {
  accept: 'accepted',
  add: 'added',
  cancel: 'cancelled',
  change: 'changed',
  create: 'created',
  delete: 'deleted',
  grant: 'granted',
  pause: 'paused',
  remove: 'removed',
  rename: 'renamed',
  replace: 'replaced',
  resend: 'resent',
  reset: 'reset',
  restore: 'restored',
  resume: 'resumed',
  retry: 'retried',
  revoke: 'revoked',
  save: 'saved',
  test: 'tested',
  suspend: 'suspended',
  verify: 'verified',
}

/** @param action a noun and a verb, such as `recovery-code.create`; a verb without a past here stays as it is. */
export function actionName(action: string): string {
  const [noun = '', verb = ''] = action.split('.')
  return NAMES[action] ?? `${inWords(noun.replaceAll('-', ' '))} ${PAST[verb] ?? verb}`.trim()
}
