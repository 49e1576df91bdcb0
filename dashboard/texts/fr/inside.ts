// All texts in French.

export { common } from './common.ts'
export { domains } from './domains.ts'
export { home } from './home.ts'
export { login } from './login.ts'
export { messages } from './messages.ts'
export { shell } from './shell.ts'
export { statuses } from './statuses.ts'
export { tables } from './tables.ts'
export { templates } from './templates.ts'
export { verification } from './verification.ts'
