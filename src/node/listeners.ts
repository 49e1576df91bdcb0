// Reports ports that cannot be opened, with the settings that change them.

import { resolve } from 'node:path'
import { type ListenerSettings, listenersOf } from '../config/listeners.ts'
import type { Config } from '../config/settings.ts'
import { Problem } from '../model/problem.ts'
import { isLasting, UnfitSettingsError } from '../model/unfit-settings.ts'

/** An error of the system with its address. */
type SystemError = NodeJS.ErrnoException & {
  readonly port?: number
  readonly address?: string
  readonly hostname?: string
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'may not be opened by this user',
  EADDRINUSE: 'is taken by another program',
  EADDRNOTAVAIL: 'is not one of this machine',
}

/** Returns the problem of a start that could not open one of its ports; undefined for any other error. */
export function notOpened(error: unknown, config: Config): Problem | undefined {
  const { syscall, code = '', port, address, hostname } = error as SystemError
  const listener = listenersOf(config).find(
    (one) => one.host === (address ?? hostname) && (port === undefined || one.port === port),
  )
  if (syscall === 'getaddrinfo' && listener !== undefined) {
    const sentence = `The name ${hostname} cannot be looked up (${code}); change ${listener.hostSetting}.`
    return new Problem('unavailable', sentence)
  }
  const why = WHY[code]
  if (syscall !== 'listen' || why === undefined) return undefined
  const host = address?.includes(':') ? `[${address}]` : (address ?? '')
  const place = [host, port].filter(Boolean).join(':')
  // An address may appear with its network, and a port may become free; a permission does not appear by itself.
  const Refusal = isLasting(error) ? UnfitSettingsError : Problem
  return new Refusal('unavailable', `The address ${place} ${why}; ${remedy(listener)}.`)
}

const remedy = (listener: ListenerSettings | undefined): string =>
  listener === undefined
    ? 'see the settings that end in _HOST and _PORT'
    : `change ${listener.hostSetting} or ${listener.portSetting}`

/**
 * Returns the problem of a start that may not read or write its files; undefined for any other error, and for a full
 * disk.
 */
export function unfitDataDirectory(error: unknown, { dataDir }: Config): UnfitSettingsError | undefined {
  const { path, message } = error as NodeJS.ErrnoException
  if (path === undefined || !isLasting(error)) return undefined
  const [file, folder] = [`${resolve(path)}/`, `${resolve(dataDir)}/`]
  if (!file.startsWith(folder) && !folder.startsWith(file)) return undefined
  return new UnfitSettingsError(
    'unavailable',
    `The data directory ${dataDir} cannot be used (${message}); check that POSTRIDER_DATA_DIR is right and writable for this user.`,
    { cause: error },
  )
}
