// Tests that breaking changes of the OpenAPI document are found, and that harmless changes are not.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { breaksOf, type OpenApi } from './openapi-breaks.ts'
import { OPENAPI_FILE } from './openapi-document.ts'

// biome-ignore lint/suspicious/noExplicitAny: the changes reach into any part of the document
type Document = any
type Change = (document: Document) => void

const document: OpenApi = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'))

const sending = (d: Document) => d.paths['/v1/messages'].post
const listing = (d: Document) => d.paths['/v1/messages'].get
const shape = (d: Document, name: string) => d.components.schemas[name]
const parameter = (operation: Document, name: string) =>
  operation.parameters.find((one: Document) => one.name === name)
const without = (list: unknown[], value: unknown) => list.splice(list.indexOf(value), 1)

const BREAKING: Readonly<Record<string, Change>> = {
  'a path is gone': (d) => delete d.paths['/v1/messages'],
  'a method is gone': (d) => delete d.paths['/v1/messages'].post,
  'a path has another name': (d) => {
    d.paths['/v1/mails'] = d.paths['/v1/messages']
    delete d.paths['/v1/messages']
  },
  'an operation ID changes': (d) => (sending(d).operationId = 'messages.create'),
  'a scope changes': (d) => (sending(d).security = [{ key: ['messages:write'] }]),
  'a second scope is required': (d) => sending(d).security[0].key.push('content:read'),
  'a query parameter is gone': (d) => without(listing(d).parameters, parameter(listing(d), 'tag')),
  'a query parameter is renamed': (d) => (parameter(listing(d), 'tag').name = 'label'),
  'a shared parameter is gone': (d) => listing(d).parameters.splice(0, 1),
  'a query parameter becomes required': (d) => (parameter(listing(d), 'tag').required = true),
  'a new query parameter is required': (d) =>
    listing(d).parameters.push({ in: 'query', name: 'from', required: true, schema: { type: 'string' } }),
  'a query parameter is shorter': (d) => (parameter(listing(d), 'tag').schema.maxLength = 10),
  'a query parameter loses a value': (d) => without(parameter(listing(d), 'status').schema.enum, 'failed'),
  'the maximum of a shared parameter falls': (d) => (d.components.parameters.limit.schema.maximum = 50),
  'a body becomes required': (d) => {
    const operation = d.paths['/v1/webhooks/{webhook_id}/test'].post
    operation.requestBody.required = true
  },
  'a media type of a body is gone': (d) => {
    const { content } = d.paths['/v1/verifications'].post.requestBody
    delete content['text/csv']
  },
  'a field of a body is gone': (d) => delete shape(d, 'SendRequest').properties.cc,
  'a field of a body is required': (d) => shape(d, 'SendRequest').required.push('subject'),
  'a new field of a body is required': (d) => {
    shape(d, 'SendRequest').properties.purpose = { type: 'string' }
    shape(d, 'SendRequest').required.push('purpose')
  },
  'a field of a body has another type': (d) => (shape(d, 'SendRequest').properties.subject.type = 'object'),
  'a list of a body is shorter': (d) => (shape(d, 'SendRequest').properties.to.maxItems = 10),
  'a list of a body needs more items': (d) => (shape(d, 'SendRequest').properties.cc.minItems = 1),
  'a text of a body gets a pattern': (d) => (shape(d, 'SendRequest').properties.tag.pattern = '^[a-z]+$'),
  'a text of a body gets a format': (d) => (shape(d, 'SendRequest').properties.from.format = 'email'),
  'a field of a body takes listed values only': (d) =>
    (shape(d, 'SendRequest').properties.stream.enum = ['transactional']),
  'a form of a field is gone': (d) => shape(d, 'SendRequest').properties.reply_to.anyOf.pop(),
  'values of a map have another type': (d) =>
    (shape(d, 'SendRequest').properties.metadata.additionalProperties.type = 'number'),
  'a response status changes': (d) => {
    sending(d).responses[201] = sending(d).responses[202]
    delete sending(d).responses[202]
  },
  'a media type of a response is gone': (d) => delete listing(d).responses[200].content['text/csv'],
  'a header of a response is gone': (d) => delete sending(d).responses[202].headers.Location,
  'a field of a response is gone': (d) => delete shape(d, 'Event').properties.message_id,
  'a field of a response may be missing': (d) => without(shape(d, 'Event').required, 'message_id'),
  'a field of a response has another type': (d) =>
    (shape(d, 'Event').properties.message_id = { type: 'integer' }),
  'a field of a response may be null': (d) => {
    const { properties } = shape(d, 'SendAnswer')
    const [name] = Object.keys(properties) as [string]
    properties[name] = { anyOf: [properties[name], { type: 'null' }] }
  },
  'a named shape is renamed': (d) => {
    d.components.schemas.SentRequest = shape(d, 'SendRequest')
    delete d.components.schemas.SendRequest
    sending(d).requestBody.content['application/json'].schema.$ref = '#/components/schemas/SentRequest'
  },
}

const HARMLESS: Readonly<Record<string, Change>> = {
  'a new path': (d) => (d.paths['/v1/new'] = { get: { operationId: 'new.list', responses: {} } }),
  'a new method': (d) => (d.paths['/v1/messages'].patch = { operationId: 'messages.patch', responses: {} }),
  'another summary': (d) => (sending(d).summary = 'Sends one message'),
  'another description': (d) => (sending(d).description = 'Another text'),
  'another example': (d) => (sending(d).requestBody.content['application/json'].example = {}),
  'another tag': (d) => (sending(d).tags = ['Sending']),
  'another server': (d) => (d.servers = [{ url: 'https://other.example.com' }]),
  'another title and version': (d) => (d.info = { title: 'Other', version: '9.9.9' }),
  'a new optional parameter': (d) =>
    listing(d).parameters.push({ in: 'query', name: 'from', required: false, schema: { type: 'string' } }),
  'a longer parameter': (d) => (parameter(listing(d), 'tag').schema.maxLength = 1_000),
  'a parameter without a maximum': (d) => delete parameter(listing(d), 'tag').schema.maxLength,
  'a new value of a parameter': (d) => parameter(listing(d), 'status').schema.enum.push('held'),
  'a parameter in another order': (d) => listing(d).parameters.reverse(),
  'a body that may be omitted': (d) => (sending(d).requestBody.required = false),
  'a new media type of a body': (d) =>
    (sending(d).requestBody.content['application/cbor'] = { schema: { type: 'string' } }),
  'a new optional field of a body': (d) => (shape(d, 'SendRequest').properties.tags = { type: 'array' }),
  'a field of a body that may be omitted': (d) => (shape(d, 'SendRequest').required = ['to']),
  'a longer list of a body': (d) => (shape(d, 'SendRequest').properties.to.maxItems = 1_000),
  'a field of a body that may be null': (d) => {
    const { properties } = shape(d, 'SendRequest')
    properties.tag = { anyOf: [properties.tag, { type: 'null' }] }
  },
  'a body field that takes another form as well': (d) =>
    shape(d, 'SendRequest').properties.reply_to.anyOf.push({ type: 'string' }),
  'a new response': (d) => (sending(d).responses[200] = { description: 'Repeated' }),
  'a new refusal': (d) => (sending(d).responses[451] = { description: 'Refused' }),
  'a refusal is gone': (d) => delete sending(d).responses[413],
  'a new header of a response': (d) =>
    (sending(d).responses[202].headers['X-New'] = { schema: { type: 'string' } }),
  'a new field of a response': (d) => (shape(d, 'Event').properties.new_field = { type: 'string' }),
  'a new value of a field of a response': (d) => shape(d, 'Event').properties.type.enum.push('snoozed'),
  'a new named shape': (d) => (d.components.schemas.New = { type: 'object' }),
  'an inlined shape': (d) => {
    sending(d).requestBody.content['application/json'].schema = shape(d, 'SendRequest')
  },
}

const changed = (change: Change): OpenApi => {
  const copy = structuredClone(document)
  change(copy)
  assert.notDeepEqual(copy, document, 'the change changes nothing')
  return copy
}

describe('changes of the OpenAPI document', () => {
  test('an unchanged document breaks nothing', () => assert.deepEqual(breaksOf(document, document), []))

  for (const [name, change] of Object.entries(BREAKING)) {
    test(`found: ${name}`, () => assert.notDeepEqual(breaksOf(document, changed(change)), []))
  }
  for (const [name, change] of Object.entries(HARMLESS)) {
    test(`harmless: ${name}`, () => assert.deepEqual(breaksOf(document, changed(change)), []))
  }
})
