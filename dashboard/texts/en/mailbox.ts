// Texts of the mailbox of the playground.

import type { Texts } from '../texts.ts'

export const mailbox = {
  title: 'Mailbox',
  intro: 'Messages received by the built-in mail server of the playground. Nothing left this machine.',
  live: 'Live',
  select: 'Select a message',
  selectHint: 'HTML is shown in a sandboxed frame: no scripts, no remote content.',
  notHere: 'No mailbox in production',
  notHereHint:
    'The built-in mailbox is part of the playground. In production, mail is delivered to its recipients.',
  received: 'Received messages',
  newest: 'Newest',
  older: 'Older',
  search: 'Address, subject or text',
  hasAttachments: 'Has attachments',
  none: 'No messages yet',
  noneHint: 'Messages to any address arrive here.',
  noneFound: 'No matching messages',
  noneFoundHint:
    'The search covers addresses, subjects and the beginning of the text, and ignores case and accents.',
  all: 'All messages',
  open: 'Open in Messages',
  from: 'From',
  to: 'To',
  deliveredTo: 'Delivered to',
  returnPath: 'Return path',
  receivedAt: 'Received',
  connection: 'Connection',
  notEncrypted: 'Not encrypted',
  encrypted: 'Encrypted ({version})',
  size: 'Size',
  attachments: 'Attachments',
  signaturesPassed: 'DKIM {passed} of {all}',
  source: 'source',
  signatures: 'Signatures',
  signaturesHint:
    'The received message checked against the DKIM keys now in the DNS of the playground (RFC 6376).',
  noSignature: 'The message has no DKIM signature.',
  results: { pass: 'Valid', fail: 'Invalid', permerror: 'Unusable', temperror: 'Not checked' },
  algorithm: 'Algorithm',
  key: 'Key',
  covers: 'Covers',
  body: 'body',
} as const satisfies Texts
