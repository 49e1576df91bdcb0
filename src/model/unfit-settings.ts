// Problems of the settings and the store that a restart does not solve; the command line then ends with exit code 2.

import { Problem } from './problem.ts'

/** Error that the settings, a file named in the settings, or the store cannot be used in the present state. */
export class UnfitSettingsError extends Problem {}

/** Error codes of the operating system that persist until a path, its owner or its permissions change. */
const LASTING = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG'],
])
/**
 * Error codes of SQLite that persist (https://sqlite.org/rescode.html): PERM, READONLY, CORRUPT, CANTOPEN, AUTH,
 * NOTADB.
 */
const LASTING_OF_SQLITE = new Set([3, 8, 11, 14, 23, 26])

/** True if an error about a file persists until somebody fixes the cause; false for a full disk, or a file in use. */
export function isLasting(error: unknown): boolean {
  const { code = '', errcode = 0 } = error as NodeJS.ErrnoException & { readonly errcode?: number }
  return LASTING.has(code) || LASTING_OF_SQLITE.has(errcode & 0xff)
}
