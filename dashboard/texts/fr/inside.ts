// All texts in French.

export { common } from './common.ts'
export { login } from './login.ts'
export { shell } from './shell.ts'
