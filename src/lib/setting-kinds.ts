// The setting types: how each type is parsed, and its name in the docs.

import { BlockList, isIP } from 'node:net'
import { hostUrls } from './database-url.ts'
import { parseRate, type Rate } from './rate-limiter.ts'
import { UNITS } from './rfc3339.ts'

/**
 * A setting type: its parser and its name in the docs. The message of an error that `read` throws is the end of a
 * sentence.
 */
export interface Kind<T> {
  readonly title: string
  /** True if the text may contain a secret, which is never shown. */
  readonly secret?: boolean
  read(text: string): T
}

const refuse = (what: string): never => {
  throw new Error(what)
}

export const text: Kind<string> = { title: 'text', read: (value) => value }

/** A secret text with a minimum length. */
export const secret = (least: number): Kind<string> => ({
  title: `text, at least ${least} characters`,
  secret: true,
  read: (value) =>
    value.length >= least
      ? value
      : refuse(
          `must have at least ${least} characters, not ${value.length}; \`openssl rand -hex 32\` makes one`,
        ),
})

/** One of the given words. */
export const oneOf = <const T extends string>(...values: T[]): Kind<T> => ({
  title: values.map((value) => `\`${value}\``).join(' or '),
  read: (value) => values.find((one) => one === value) ?? refuse(`must be ${values.join(' or ')}`),
})

/** A whole number in a range, both ends included. */
export const integer = (least: number, most: number): Kind<number> => ({
  title: `whole number, ${least}–${most}`,
  read(value) {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    return number >= least && number <= most
      ? number
      : refuse(`must be a whole number from ${least} to ${most}`)
  },
})

/** `auto`, or a whole number in a range, both ends included. */
export const autoOr = (least: number, most: number): Kind<number | 'auto'> => {
  const number = integer(least, most)
  return {
    title: `\`auto\` or ${number.title}`,
    read: (value) => (value === 'auto' ? value : number.read(value)),
  }
}

/** A TCP port; 0 stands for any free port. */
export const port = integer(0, 65_535)

/** Several values, separated by commas. */
export const list = <T>(one: Kind<T>, title: string): Kind<readonly T[]> => ({
  title,
  read(value) {
    const parts = value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
    // A text that consists of commas is passed to the parser of one element, because an empty list is invalid.
    return (parts.length === 0 ? [value] : parts).map((part) => one.read(part))
  },
})

/** A host name, in lower case. */
export const hostName: Kind<string> = {
  title: 'host name',
  read: (value) =>
    value.length <= 253 &&
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(value)
      ? value.toLowerCase()
      : refuse('must be a host name such as mail.example.com'),
}

/** A DNS block list: its zone, and what it lists, which is written in front as `ip:` (the default) or `domain:`. */
export const blockList: Kind<{ readonly lists: 'ip' | 'domain'; readonly zone: string }> = {
  title: 'zone, `ip:zone` or `domain:zone`',
  read(value) {
    const [, lists, zone = ''] = /^(?:(ip|domain):)?([^:]+)$/i.exec(value) ?? []
    if (!zone.includes('.')) {
      return refuse('must be zones such as ip:zen.spamhaus.org or domain:dbl.spamhaus.org')
    }
    return { lists: lists?.toLowerCase() === 'domain' ? 'domain' : 'ip', zone: hostName.read(zone) }
  },
}

/** The word `off`, or a list with at least one element. */
export const offOr = <T>(several: Kind<readonly T[]>): Kind<readonly T[]> => ({
  title: `\`off\` or ${several.title}`,
  read: (value) => (value === 'off' ? [] : several.read(value)),
})

/** A text that becomes a DNS label of a secret name. */
export const secretLabel: Kind<string> = {
  title: 'key of letters and digits',
  secret: true,
  read: (value) =>
    /^[a-z0-9]{10,63}$/i.test(value) ? value.toLowerCase() : refuse('must have 10 to 63 letters and digits'),
}

/** Services whose calls the compatible endpoints serve (`src/compat`). */
const COMPATIBLE_SERVICES = ['postmark', 'resend', 'sendgrid', 'mailgun', 'postal', 'usesend'] as const

export type CompatibleService = (typeof COMPATIBLE_SERVICES)[number]

/** A service whose calls the compatible endpoints serve. */
export const compatibleService: Kind<CompatibleService> = oneOf(...COMPATIBLE_SERVICES)

/** A service and the host name at whose root its calls are served, written as `service=host`. */
export const compatibleHost: Kind<{ readonly vendor: CompatibleService; readonly host: string }> = {
  title: 'service=host',
  read(value) {
    const [, service, host] = /^([a-z]+)=(.+)$/i.exec(value) ?? []
    if (service === undefined || host === undefined) {
      return refuse('must be a service and a host name such as postmark=pm.example.com')
    }
    return { vendor: compatibleService.read(service.toLowerCase()), host: hostName.read(host) }
  },
}

/** A template of Domain Connect, written as `provider/service`. */
export const connectTemplate: Kind<{ readonly providerId: string; readonly serviceId: string }> = {
  title: 'provider/service',
  read(value) {
    const [, providerId, serviceId] = /^([a-z0-9.-]+)\/([\w.-]+)$/i.exec(value) ?? []
    if (providerId === undefined || serviceId === undefined) {
      return refuse('must be a provider and a service such as mail.example.com/mail')
    }
    return { providerId, serviceId }
  },
}

/** An email address, or a domain that stands for all of its addresses, in lower case. */
export const addressOrDomain: Kind<string> = {
  title: 'address or domain',
  read(value) {
    const at = value.lastIndexOf('@')
    if (at === 0 || /[\s<>]/.test(value)) refuse('must be addresses or domains such as fbl@provider.example')
    return `${value.slice(0, at + 1)}${hostName.read(value.slice(at + 1))}`.toLowerCase()
  },
}

/** An email address with its domain in lower case. */
export const emailAddress: Kind<string> = {
  title: 'email address',
  read(value) {
    const at = value.lastIndexOf('@')
    if (at < 1 || /[\s<>]/.test(value)) refuse('must be an email address such as postmaster@example.com')
    return `${value.slice(0, at)}@${hostName.read(value.slice(at + 1))}`
  },
}

/** An IP address or a host name to listen on. */
export const listenHost: Kind<string> = {
  title: 'address to listen on',
  read: (value) =>
    isIP(value) === 0 && /[\s:/[\]]/.test(value)
      ? refuse('must be an address such as 0.0.0.0 or ::, without brackets and port, or a name')
      : value,
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/**
 * True if only this machine can reach a listener at this host. A host name counts as loopback only if RFC 6761 §6.3
 * reserves the name.
 */
export function isLoopback(host: string): boolean {
  const version = isIP(host)
  if (version === 0) return /^(?:.+\.)?localhost\.?$/i.test(host)
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/** An IP address with a port, default 53. */
export const hostAndPort: Kind<string> = {
  title: 'host:port',
  read(value) {
    const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value)
    const host = match?.[1] ?? match?.[2] ?? ''
    if (isIP(host) === 0 || Number(match?.[3] ?? 53) > 65_535)
      refuse('must be addresses such as 127.0.0.1:53')
    return value
  },
}

/** A network in CIDR notation. */
export const network: Kind<string> = {
  title: 'CIDR',
  read(value) {
    const [address = '', bits = ''] = value.split('/')
    const most = isIP(address) === 4 ? 32 : 128
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) {
      refuse('must be networks such as 127.0.0.0/8')
    }
    return value
  },
}

/** URL of a PostgreSQL database with one or several hosts. */
export const postgresUrl: Kind<string> = {
  title: 'URL (postgres, postgresql)',
  secret: true, // A database URL may contain a password.
  read(value) {
    hostUrls(value)
    return value.replace(/\/+$/, '')
  },
}

/** A URL with one of these protocols, without a trailing slash. */
export const url = (...protocols: string[]): Kind<string> => ({
  title: `URL (${protocols.join(', ')})`,
  secret: true, // A URL may contain a password.
  read(value) {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    if (parsed === undefined || !protocols.includes(parsed.protocol.slice(0, -1))) {
      refuse(`must be a URL that begins with ${protocols.map((one) => `${one}://`).join(' or ')}`)
    }
    return value.replace(/\/+$/, '')
  },
})

/** A URL to which the paths of links are appended. */
export const linkBase = (...protocols: string[]): Kind<string> => {
  const any = url(...protocols)
  return {
    ...any,
    read(value) {
      const base = any.read(value)
      const { username, password } = new URL(base)
      return username + password === '' && !/[?#]/.test(base)
        ? base
        : refuse('must have no user name, query or fragment, since the paths of links are appended')
    },
  }
}

/** A duration such as `30s`, `5m`, `2h` or `1d`, converted to milliseconds. */
export const duration: Kind<number> = {
  title: 'duration',
  read(value) {
    const match = /^(\d{1,6})(s|m|h|d)$/.exec(value)
    if (match === null || Number(match[1]) === 0) refuse('must be durations such as 30s, 5m or 2h')
    return Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? 0)
  },
}

/** A retention from an hour to a hundred years, converted to milliseconds. */
export const retention: Kind<number> = {
  title: 'duration of at least `1h`',
  read(value) {
    const match = /^(\d{1,6})(m|h|d)$/.exec(value)
    const ms = Number(match?.[1] ?? 0) * (UNITS[match?.[2] ?? ''] ?? 0)
    if (ms < 3_600_000 || ms > 36_500 * 86_400_000) {
      refuse('must be a duration from 1h to 36500d, such as 45d')
    }
    return ms
  },
}

/** A rate such as `50/s`. */
export const rate: Kind<Rate> = {
  title: 'rate such as `50/s`, `20/m`',
  read: (value) => parseRate(value) ?? refuse('must be a rate such as 50/s or 20/m'),
}

/** A name with a value, such as `gmail.com=20/s`. */
export const named = <T>(name: Kind<string>, value: Kind<T>, title: string): Kind<readonly [string, T]> => ({
  title,
  read(text) {
    const at = text.indexOf('=')
    if (at < 1) refuse(`must be a ${title}`)
    return [name.read(text.slice(0, at).trim()), value.read(text.slice(at + 1).trim())]
  },
})
