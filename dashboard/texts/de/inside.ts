// All texts in German.

export { common } from './common.ts'
export { login } from './login.ts'
export { shell } from './shell.ts'
