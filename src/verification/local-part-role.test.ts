// Names of role accounts and unread accounts in several languages, and names of people that resemble these names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNoReply, isRole } from './local-part.ts'

const NO_REPLY = `
  noreply no-reply no_reply no.reply NoReply noreply1 noreply-2024 no-reply-billing billing-noreply
  donotreply do-not-reply do_not_reply dont-reply dontreply notreply never-reply noreplies no-replies
  noresponse no-response mailer-daemon MAILER-DAEMON bounce bounces devnull nobody
  ne-pas-repondre nepasrepondre ne.pas.répondre nicht-antworten bitte-nicht-antworten keine-antwort
  no-responder no-contestar nao-responda não-responda non-rispondere niet-beantwoorden geen-antwoord
  nie-odpowiadaj neodpovidat svarainte ej-svar svar-ikke alavastaa ne-valaszolj nu-raspunde
  yanitlamayin ne-otvechat не-отвечать не-отвечайте 请勿回复`
  .trim()
  .split(/\s+/)

const ROLES = `
  info Info sales support admin postmaster abuse webmaster hostmaster billing hr jobs office contact
  customer-service customer.service customerservice sales2 info1 support-de sales.uk info_berlin
  remove ssladmin ssladministrator sslwebmaster ap ar Einkauf bestuur sekretaer sekretär soc csirt DMARC-Reports
  kontakt buchhaltung vertrieb contacto ventas soporte compta contabilidad biuro zakaz noreply`
  .trim()
  .split(/\s+/)

const PEOPLE = `
  john john.smith j.smith jsmith maria anna.noreen noah norbert nora noriko nobu replyo donot alexa sydney
  infante supportovic adminova salesman.bob ann-marie admiral billie official reply answer marketa
  arlo apollo socrates removia einkaufova jdoe42 x a1 ботинок 田中`
  .trim()
  .split(/\s+/)

test('no-reply names', () => {
  assert.deepEqual(
    NO_REPLY.filter((name) => !isNoReply(name)),
    [],
  )
  assert.deepEqual([...ROLES.slice(0, -1), ...PEOPLE].filter(isNoReply), [])
})

test('roles, and no-reply names among them', () => {
  assert.deepEqual(
    [...ROLES, ...NO_REPLY].filter((name) => !isRole(name)),
    [],
  )
  assert.deepEqual(
    PEOPLE.filter((name) => isRole(name)),
    [],
  )
})
