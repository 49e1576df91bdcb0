// Creates example values that match a schema.

import type { Schema } from './document.ts'

/**
 * Sending domain of all examples in the sources. The reference of a playground shows the domain of the playground
 * instead.
 */
export const SAMPLE_DOMAIN = 'example.com'

/** Realistic example values by field name. */
export const VALUES: Readonly<Record<string, unknown>> = {
  account: 'ann',
  account_id: 'acc_01KAJ6ZX1A2B3C4D5E6F7G8HJK',
  alias: 'receipt',
  at: '2026-11-21T09:30:04.125Z',
  cc: [],
  bcc: [],
  confirm: 'example.com',
  content: 'JVBERi0xLjcK…',
  content_type: 'application/pdf',
  created_at: '2026-11-21T09:30:02.481Z',
  updated_at: '2026-11-21T09:30:04.125Z',
  last_event_at: '2026-11-21T09:30:04.125Z',
  next_attempt_at: '2026-11-21T09:35:02.481Z',
  oldest_at: '2026-11-21T09:30:02.481Z',
  oldest_message_id: 'msg_01KAJ7QW3V9Z4T8N2R5M6XCDEF',
  send_at: null,
  destination: 'example.net',
  detail: {},
  domain: 'example.com',
  email: 'ann@example.net',
  errors: [
    { path: 'to[0].email', code: 'invalid_email', message: 'This is not an email address: it has no @.' },
  ],
  esp: 'Google Workspace',
  filename: 'receipt.pdf',
  from: 'shop@example.com',
  from_name: 'The Shop',
  headers: [],
  html: '<p>Thank you, Ann.</p>',
  id_or_alias: 'receipt',
  bulk_id: 'blk_01KAJ7QY3A4B5C6D7E8F9GHJKM',
  delivery_id: 'whd_01KAJ7QY4B5C6D7E8F9GHJKMNP',
  inbound_id: 'inb_01KAJ7QY5C6D7E8F9GHJKMNPQR',
  verification_id: 'ver_01KAJ7QY2Z3A4B5C6D7E8F9GHJ',
  webhook_id: 'whk_01KAJ7QY6D7E8F9GHJKMNPQRST',
  incident_id: 'inc_01KAJ7QY6E8F9GHJKMNPQRSTVW',
  inbox_id: 'inb_01KAJ7QY6D7E8F9GHJKMNPQRST',
  report_id: 'rpt_01KAJ7QY6F9GHJKMNPQRSTVWXY',
  source_id: 'src_01fa7be6d7e8f90123456789ab',
  mail_id: 'mbx_01KAJ7QY6D7E8F9GHJKMNPQRST',
  number: '0',
  version: 1,
  id: 'evt_01KAJ7QW5J2M8P4S7T9V1WXYZA',
  in_attempt: false,
  layout: 'frame',
  layout_id: 'lay_01KAJ7QX1B2C3D4E5F6G7H8JKM',
  invitation_id: 'inv_01KAJ6ZY5N6P7Q8R9S0T1V2W3X',
  user_id: 'usr_01KAJ6ZY2E3F4G5H6J7K8M9NPQ',
  key_id: 'key_01KAJ6ZZ7D8E9F0G1H2J3K4M5N',
  latencyMs: 412,
  message_id: 'msg_01KAJ7QW3V9Z4T8N2R5M6XCDEF',
  metadata: { order: '1234' },
  mx: 'mx.example.net',
  mxServer: 'mx.example.net',
  mxServerIp: '192.0.2.25',
  name: 'Ann',
  next_cursor: null,
  raw_url: '/v1/messages/msg_01KAJ7QW3V9Z4T8N2R5M6XCDEF/raw',
  reason: 'hard_bounce',
  size: 412,
  smtpCode: 250,
  smtp_code: 250,
  smtp_response: '2.0.0 OK',
  status: 'delivered',
  stream: 'transactional',
  subject: 'Your receipt',
  tag: 'receipt',
  template_id: 'tpl_01KAJ7QX8N9P0Q1R2S3T4V5WXY',
  template_model: { name: 'Ann', items: [{ title: 'Tea', price: '4.50' }] },
  required: ['name', 'items'],
  text: 'Thank you, Ann.',
  to: [{ email: 'ann@example.net', name: 'Ann' }],
  type: 'delivered',
  username: 'smtp_01KAJ6ZZ8E9F0G1H2J3K4M5N6P',
  value: 'example.net',
}

const DEPTH = 6

/** Returns a value that matches the schema; `name` is the name of the field, if the value belongs to a field. */
export function exampleOf(schema: Schema, name?: string, depth = 0): unknown {
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  const usual = name === undefined ? undefined : VALUES[name]
  if (usual !== undefined && fits(usual, schema)) return usual
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  const [first] = schema.anyOf ?? []
  if (first !== undefined) return exampleOf(first, name, depth)
  if (depth > DEPTH) return null
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, one]) => [key, exampleOf(one, key, depth + 1)]),
      )
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, undefined, depth + 1)]
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return schema.format === 'date-time' ? VALUES.created_at : '…'
  }
}

function fits(value: unknown, schema: Schema): boolean {
  if (schema.enum !== undefined) return schema.enum.includes(value)
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => fits(value, one))
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  // For an object with declared fields, or a list of such objects, the example consists of examples of the fields
  // instead.
  const shaped = schema.properties !== undefined || schema.items?.properties !== undefined
  if (shaped && !(Array.isArray(value) && value.length === 0)) return false
  return schema.type === type || (schema.type === 'integer' && Number.isInteger(value))
}
