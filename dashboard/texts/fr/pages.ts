// Texts of all other pages, in French.

export { activity } from './activity.ts'
export { domains } from './domains.ts'
export { messages } from './messages.ts'
export { settings } from './settings.ts'
export { statistics } from './statistics.ts'
export { suppressions } from './suppressions.ts'
export { templates } from './templates.ts'
export { verification } from './verification.ts'
export { webhooks } from './webhooks.ts'
