// Reads delivery status notifications by RFC 3464, and by RFC 6533 for international addresses.

import { legalText } from '../mime/legal-text.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import type { Action, DeliveryReport, RecipientReport } from './report.ts'
import { Fields, type ReturnedMail } from './returned-mail.ts'

const MAX_RECIPIENTS = 100
const MAX_DIAGNOSTIC = 1_000
const MAX_ADDRESS = 320

/** Returns the delivery report in a mail; undefined if no report in the mail names a recipient. */
export function readDeliveryStatus(mail: ReturnedMail): DeliveryReport | undefined {
  const text = mail.part('message/delivery-status', 'message/global-delivery-status')
  if (text === undefined) return undefined
  const recipients = readRecipients(text)
  if (recipients.length === 0) return undefined
  return { kind: 'delivery', form: 'rfc3464', isOfMailSystem: true, recipients, original: mail.original }
}

/**
 * Returns the recipients in the text of a report, from the first hundred groups of fields that state an action or a
 * status.
 */
export const readRecipients = (text: string): RecipientReport[] =>
  recipientGroups(text).slice(0, MAX_RECIPIENTS).flatMap(readRecipient)

/**
 * Splits a report into its groups of fields, separated by empty lines (RFC 3464 §2.1); the first group is about the
 * message.
 */
function recipientGroups(text: string): Fields[] {
  const groups: string[] = []
  for (const block of text.split(/\n[ \t\r]*\n/)) {
    // Some reporters omit the empty line between recipients, and other reporters insert an empty line among the fields
    // of a recipient.
    const parts = block.split(/\n(?=final-recipient[ \t]*:)/i)
    const before = groups.at(-1) ?? ''
    if (parts.length > 2) groups.push(...parts)
    else if (IS_STATUS.test(block) && !IS_RECIPIENT.test(block) && lacksStatus(before)) {
      groups[groups.length - 1] = `${before}\n${block}`
    } else groups.push(block)
  }
  return groups
    .filter((group) => IS_RECIPIENT.test(group) || IS_STATUS.test(group))
    .map((group) => new Fields(group))
}

const lacksStatus = (group: string): boolean => IS_RECIPIENT.test(group) && !IS_STATUS.test(group)

const IS_RECIPIENT = /^(?:final|original)-recipient[ \t]*:/im
const IS_STATUS = /^(?:action|status)[ \t]*:/im

function readRecipient(group: Fields): RecipientReport[] {
  const status = readStatus(group.get('status') ?? '')
  const action = readAction(group.get('action') ?? '', status)
  if (action === undefined) return []
  const finalRecipient = readTypedAddress(group.get('final-recipient'))
  const originalRecipient = readTypedAddress(group.get('original-recipient'))
  // Exchange writes the reply of another host in a separate field.
  const said = group.get('diagnostic-code') ?? group.get('x-supplementary-info') ?? ''
  const diagnostic = withoutType(said).slice(0, MAX_DIAGNOSTIC)
  const remoteMta = withoutType(group.get('remote-mta') ?? '').slice(0, 255)
  return [
    {
      action,
      ...(finalRecipient === undefined ? {} : { finalRecipient }),
      ...(originalRecipient === undefined ? {} : { originalRecipient }),
      ...(status === undefined ? {} : { status }),
      ...(diagnostic === '' ? {} : { diagnostic }),
      ...(remoteMta === '' ? {} : { remoteMta }),
    },
  ]
}

/** Returns the status code, which comments may follow (RFC 3464 §2.3.4). */
function readStatus(value: string): string | undefined {
  return /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(value)?.[0]
}

const ACTIONS: readonly (readonly [beginning: string, action: Action])[] = [
  ['fail', 'failed'],
  ['delay', 'delayed'],
  ['deliver', 'delivered'],
  ['relay', 'relayed'],
  ['expand', 'expanded'],
]

/** Reads the action (RFC 3464 §2.3.3), or derives a missing action from the status (RFC 3463 §3.1). */
function readAction(value: string, status: string | undefined): Action | undefined {
  const found = ACTIONS.find(([beginning]) => value.toLowerCase().startsWith(beginning))
  if (found !== undefined) return found[1]
  if (status === undefined) return undefined
  return status.startsWith('5') ? 'failed' : status.startsWith('4') ? 'delayed' : 'delivered'
}

/**
 * Reads an address with its type, such as `rfc822; user@example.com` or `utf-8; …` (RFC 6533 §3), or an address alone.
 */
function readTypedAddress(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const plain = withoutType(value)
    .replace(/\\x\{([0-9A-Fa-f]{1,6})\}/g, (whole, code) => {
      const point = Number.parseInt(code, 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole
    })
    .replace(/^<|>$/g, '')
    .trim()
  const address = parseAddress(plain)
  if (isAddress(address)) return address.email
  return plain === '' ? undefined : legalText(plain).slice(0, MAX_ADDRESS)
}

/** Removes the type from the value of an address, a host or a diagnostic (RFC 3464 §2.1.2). */
const withoutType = (value: string): string => value.replace(/^[\w.-]{1,40}[ \t]*;[ \t]*/, '').trim()
