// Reports ports and data directories that cannot be opened, with the names of the settings to change.

import { resolve } from 'node:path'
import { type ListenerSettings, listenersOf } from '../config/listeners.ts'
import type { Config } from '../config/settings.ts'
import { Problem } from '../model/problem.ts'
import { isLasting, UnfitSettingsError } from '../model/unfit-settings.ts'

/** Error of a system call, with the network address on which the call failed. */
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

/** Returns the problem to report if a port could not be opened at the start; undefined for any other error. */
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
  // A missing address or a port in use may become available later; a missing permission does not.
  const Refusal = isLasting(error) ? UnfitSettingsError : Problem
  const permission = code === 'EACCES' && (port ?? 0) < FIRST_UNPRIVILEGED_PORT ? `, or ${PERMISSION}` : ''
  return new Refusal('unavailable', `The address ${place} ${why}; ${remedy(listener)}${permission}.`)
}

/** First port that every user may open on Linux, unless `net.ipv4.ip_unprivileged_port_start` is changed. */
const FIRST_UNPRIVILEGED_PORT = 1_024

/** Ways to let a service without root open a privileged port. */
const PERMISSION =
  'give the service the capability CAP_NET_BIND_SERVICE (in a systemd unit: AmbientCapabilities=CAP_NET_BIND_SERVICE, as in deploy/postrider.service)'

const remedy = (listener: ListenerSettings | undefined): string =>
  listener === undefined
    ? 'see the settings that end in _HOST and _PORT'
    : `change ${listener.hostSetting} or ${listener.portSetting}`

/**
 * Returns the problem to report if the files of the data directory cannot be read or written; undefined for a full disk
 * and for any other error.
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
