// Problems of the settings and the store that a restart does not solve: the command line ends with exit code 2.

import { Problem } from './problem.ts'

/** The settings, the files that they name, or the store cannot be used as they are. */
export class UnfitSettingsError extends Problem {}

/** Error codes of the system that persist until a path, its owner or its permissions change. */
const LASTING = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG'],
])
/** The same for SQLite (https://sqlite.org/rescode.html): PERM, READONLY, CORRUPT, CANTOPEN, AUTH, NOTADB. */
const LASTING_OF_SQLITE = new Set([3, 8, 11, 14, 23, 26])

/** True if an error about a file persists until somebody fixes it; false for a full disk, or a file in use. */
export function isLasting(error: unknown): boolean {
  const { code = '', errcode = 0 } = error as NodeJS.ErrnoException & { readonly errcode?: number }
  return LASTING.has(code) || LASTING_OF_SQLITE.has(errcode & 0xff)
}
