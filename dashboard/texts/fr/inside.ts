// Texts of the frame and of home, in French.

export { common } from './common.ts'
export { guide } from './guide.ts'
export { home } from './home.ts'
export { login } from './login.ts'
export { shell } from './shell.ts'
export { statuses } from './statuses.ts'
export { tables } from './tables.ts'
