// Tests that providers are recognised by the names of their mail hosts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { espOf, isNeverCatchAll } from './esp.ts'

test('the longest known ending names the provider', () => {
  const rows: [string, string | undefined, string?][] = [
    ['gmail-smtp-in.l.google.com', 'Gmail', 'mailbox'],
    ['alt1.gmail-smtp-in.l.google.com', 'Gmail'],
    ['aspmx.l.google.com', 'Google Workspace'],
    ['ALT2.ASPMX.L.GOOGLE.COM.', 'Google Workspace'],
    ['aspmx2.googlemail.com', 'Google Workspace'],
    ['smtp.google.com', 'Google Workspace'],
    ['hotmail-com.olc.protection.outlook.com', 'Outlook.com'],
    ['outlook-com.olc.protection.outlook.com', 'Outlook.com'],
    ['contoso-com.mail.protection.outlook.com', 'Microsoft 365'],
    ['contoso-com.mail.eo.outlook.com', 'Microsoft 365'],
    ['contoso-com.o-v1.mx.microsoft', 'Microsoft 365'],
    ['mx-aol.mail.gm0.yahoodns.net', 'AOL'],
    ['mta5.am0.yahoodns.net', 'Yahoo'],
    ['mx01.mail.icloud.com', 'iCloud'],
    ['mx.zoho.eu', 'Zoho'],
    ['mail.protonmail.ch', 'Proton'],
    ['in1-smtp.messagingengine.com', 'Fastmail'],
    ['mx1.privateemail.com', 'Namecheap', 'mailbox'],
    ['eforward1.registrar-servers.com', 'Namecheap', 'forwarding'],
    ['mx1.web-hosting.com', 'Namecheap', 'hosting'],
    ['mx.yandex.net', 'Yandex'],
    ['mxs.mail.ru', 'Mail.ru'],
    ['us-smtp-inbound-1.mimecast.com', 'Mimecast', 'gateway'],
    ['mx0a-00123456.pphosted.com', 'Proofpoint', 'gateway'],
    ['mx1-eu1.ppe-hosted.com', 'Proofpoint Essentials'],
    ['d1.ess.barracudanetworks.com', 'Barracuda'],
    ['mx1.hc123-45.eu.iphmx.com', 'Cisco'],
    ['route1.mx.cloudflare.net', 'Cloudflare', 'forwarding'],
    ['inbound-smtp.eu-west-1.amazonaws.com', 'Amazon SES', 'inbound'],
    ['mail.mailinator.com', 'Mailinator', 'disposable'],
    ['mx1.mail.com', 'mail.com'],
    // A suffix matches only at a label boundary, and only at the end.
    ['notgoogle.com', undefined],
    ['mx.evilmimecast.com', undefined],
    ['google.com.example', undefined],
    ['hotmail.com.mx.example.net', undefined],
    ['eu-west-1.amazonaws.com', undefined],
    ['x.y.inbound-smtp.amazonaws.com', undefined],
    ['mx.example.com', undefined],
    ['com', undefined],
    ['', undefined],
    ['.', undefined],
  ]
  for (const [host, name, kind] of rows) {
    const found = espOf(host)
    assert.equal(found?.name, name, host)
    if (kind !== undefined) assert.equal(found?.kind, kind, host)
  }
})

test('the catch-all probe is skipped only for providers without customer domains', () => {
  assert.ok(isNeverCatchAll(espOf('gmail-smtp-in.l.google.com')))
  assert.ok(isNeverCatchAll(espOf('outlook-com.olc.protection.outlook.com')))
  for (const host of [
    'aspmx.l.google.com',
    'a-com.mail.protection.outlook.com',
    'mta5.am0.yahoodns.net',
    'mx.test',
  ]) {
    assert.equal(isNeverCatchAll(espOf(host)), false, host)
  }
})
