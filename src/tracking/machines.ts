// Distinguishes hits by machines from hits by people, by the client that sends the request.

import { createIsbotFromList, list } from 'isbot'
import { cacheOf } from '../lib/caches.ts'
import { Networks } from '../lib/networks.ts'
import type { MachineReason } from '../model/tracking-hit.ts'

/** The parts of a request that distinguish machines from people. */
export interface HitRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** IP address of the client. */
  readonly address: string
}

/**
 * Networks from which mail filters check links: Apple, Barracuda, Mimecast and Proofpoint. People do not browse from
 * these networks. Other mail filters are recognised by their user agent, or by hits within seconds of the delivery.
 */
const SCANNERS = [
  '17.0.0.0/8',
  '64.235.144.0/20',
  '209.222.80.0/21',
  '205.139.110.0/24',
  '207.211.30.0/24',
  '207.211.31.0/24',
  '216.205.24.0/24',
  '63.128.21.0/24',
  '170.10.128.0/22',
  '67.231.144.0/20',
  '148.163.128.0/19',
  '205.220.160.0/19',
]

/** User agents of mail clients, and of mail services' proxies that load an image when a recipient views the image. */
const MAIL_PROGRAMS =
  /GoogleImageProxy|YahooMailProxy|Thunderbird|Outlook|Microsoft Office|AppleMail|Mail\/|Evolution|KMail|K-9|FairEmail|Airmail|Spark\/|BlackBerry|eM ?Client|Postbox|Roundcube|Zimbra|MailMate|Superhuman/i
/** Complete user agent of image requests by Apple's privacy proxies. */
const PRIVACY_PROXY = 'Mozilla/5.0'
const isBot = createIsbotFromList(list)

/** True if the user agent belongs to a program that is neither a mail client nor a browser. */
const isProgram = (userAgent: string): boolean =>
  userAgent === '' || (isBot(userAgent) && !MAIL_PROGRAMS.test(userAgent))

export class Machines {
  readonly #networks: Networks
  /** Cached results of `isProgram` by user agent. */
  readonly #programs = cacheOf<boolean>('user_agents')

  /** @param scanners further networks of mail filters, in CIDR notation */
  constructor(scanners: readonly string[] = []) {
    this.#networks = new Networks([...SCANNERS, ...scanners])
  }

  /**
   * Returns the reason why a hit counts as made by a machine; undefined if the request does not indicate a machine.
   */
  reason({ method, headers, address }: HitRequest, isOpen: boolean): MachineReason | undefined {
    if (method === 'HEAD') return 'head'
    if (PREFETCH_FIELDS.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? ''))))
      return 'prefetch'
    const userAgent = String(headers['user-agent'] ?? '').trim()
    if (isOpen && userAgent === PRIVACY_PROXY) return 'privacy_proxy'
    if (this.#isProgram(userAgent)) return 'user_agent'
    return this.#networks.includes(address) ? 'scanner_network' : undefined
  }

  #isProgram(userAgent: string): boolean {
    let known = this.#programs.get(userAgent)
    if (known === undefined) {
      known = isProgram(userAgent)
      this.#programs.set(userAgent, known)
    }
    return known
  }
}

const PREFETCH_FIELDS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const
