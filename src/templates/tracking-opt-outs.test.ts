// Tests links that are not tracked: opt-outs of this service, and of services from which senders migrate.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { trackedPlaces } from './tracked-places.ts'

const isTracked = (attributes: string): boolean =>
  trackedPlaces(`<a href="https://shop.example/1" ${attributes}>x</a>`, {
    opens: false,
    links: true,
    untracked: [],
  })?.links.length === 1

describe('a link', () => {
  const optOuts: readonly (readonly [service: string, attributes: string])[] = [
    ['ours', 'data-track="off"'],
    ['SendGrid', 'clicktracking="off"'],
    ['SendGrid, without quotes', 'clicktracking=off'],
    ['SendGrid, in capitals', 'ClickTracking=" OFF "'],
    ['Mailgun', 'disable-tracking="true"'],
    ['Mailgun, without quotes', 'disable-tracking=true'],
    ['Postmark', 'data-pm-no-track'],
    ['Postmark, with a value', 'data-pm-no-track=""'],
    ['Amazon SES', 'ses:no-track'],
    ['Amazon SES, with a value', 'ses:no-track="true"'],
    ['Mailchimp and Mandrill', 'mc:disable-tracking'],
    ['SparkPost', 'data-msys-clicktrack="0"'],
    ['Mautic', 'mautic:disable-tracking="true"'],
    ['Mautic from version 5 on', 'data-mautic-disable-tracking="true"'],
    ['AhaSend', 'data-as-no-track'],
    ['MessageGears', 'autotrack="false"'],
    ['ahoy_email', 'data-skip-click="true"'],
    ['ahoy_email, newer', 'data-disable-tracking="true"'],
    ['Campaign Monitor', 'cm_dontconvertlink'],
    ['Customer.io', 'class="button untracked"'],
    ['Marketo', 'class="mktNoTrack"'],
    ['a class of Discourse', 'class="no-track-link"'],
    ['a relation', 'rel="noopener notrack"'],
    ['forms that nobody has documented yet', 'data-acme-no-click-tracking'],
    ['switches that nobody has documented yet', 'data-acme-track-links="false"'],
    ['another word', 'data-exclude-tracking=1'],
  ]
  for (const [service, attributes] of optOuts) {
    test(`is not tracked with the opt-out of ${service}`, () => assert.equal(isTracked(attributes), false))
  }

  for (const attributes of [
    '',
    'data-track="on"',
    'data-track',
    'clicktracking="on"',
    'disable-tracking="false"',
    'data-msys-clicktrack="1"',
    'mautic:disable-tracking="0"',
    'class="button track tracked soundtrack"',
    'data-tracking-id="0"',
    'data-soundtrack="yes"',
    'rel="noopener nofollow"',
    'title="clicktracking=off"',
    'data-track-category="none"',
  ]) {
    test(`is tracked with ${attributes || 'nothing else'}`, () => assert.equal(isTracked(attributes), true))
  }

  for (const href of [
    'mailto:a@shop.example',
    'tel:+4930',
    '#top',
    '/a',
    'sms:1',
    'javascript:1',
    'data:text/html,x',
    'cid:a',
    'ftp://a.example/',
    'https+notrack://shop.example/',
    '',
  ]) {
    test(`to ${href || 'nothing'} is not tracked`, () => {
      const places = trackedPlaces(`<a href="${href}">x</a>`, { opens: false, links: true, untracked: [] })
      assert.deepEqual(places?.links, [])
    })
  }
})
