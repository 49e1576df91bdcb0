// Texts of the pages before the login, fetched with them.

export { common } from './common.ts'
export { login } from './login.ts'
