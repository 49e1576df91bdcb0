// Texts of the page about reports of receivers and the authentication of a domain's mail.

export const reports = {
  title: 'Authentication',
  intro: 'Who sends mail with the domain in the From address, as receivers report it. The last 30 days.',
  upload: 'Upload a report',
  uploading: 'The report was read.',
  duplicate: 'This report was received before.',
  file: 'File of a report (XML, JSON, gzip, zip or mail)',
  choose: 'Choose a file',
  sources: 'Sources',
  sourcesIntro: 'DMARC aggregate reports count messages by the address that sent them.',
  source: 'Source',
  kind: 'Kind',
  kinds: {
    ours: 'This service',
    forwarded: 'Forwarded',
    known: 'Known',
    unknown: 'Unknown',
  },
  messages: 'Messages',
  pass: 'DMARC pass',
  dkim: 'DKIM aligned',
  spf: 'SPF aligned',
  failing: '{mechanism} has failed since {day} for mail from {addresses}, as reported by {receivers}.',
  whatToDo: 'What to do',
  nothing: 'Nothing',
  advice: {
    ours_dkim:
      'Compare the DKIM records in the DNS with the records that the domain page shows, and verify the domain.',
    ours_spf:
      'Check that the return-path record of the domain points to this service, and that the SPF record of the return-path host names the address.',
    ours_dmarc: 'Check the DKIM and return-path records of the domain; receivers can refuse the mail.',
    ours: 'Some mail of this service is not aligned. Check the DKIM and return-path records of the domain; receivers can refuse the mail.',
    known:
      'Set up DKIM with your own domain at {name}, so that its signature is aligned with the From address.',
    unknown_pass:
      'The mail passes DMARC, so a record of your domain permits this source. If the source is yours, mark it as known; otherwise remove its record.',
    unknown_fail:
      'If this source sends your mail, mark it as known and set up DKIM there. Otherwise somebody uses your domain: a DMARC policy of quarantine or reject lets receivers refuse such mail.',
  },
  markKnown: 'Mark as known',
  markUnknown: 'Mark as unknown',
  noSources: 'No reports yet',
  noSourcesHint: 'Receivers send reports once a day to the address in the DMARC record of the domain.',
  coverage:
    '{receivers} receivers have reported; their reports cover {share} of the mail that this service delivered.',
  coverageUnknown: '{receivers} receivers have reported.',
  reports: 'Reports',
  reportsIntro: 'DMARC and TLS reports of receivers, and complaints. Files are kept for 45 days.',
  submitter: 'From',
  reportKinds: { dmarc: 'DMARC', tls: 'TLS', arf: 'Complaint', cfbl: 'Complaint' },
  unread: 'Being read',
  unreadable: 'Unreadable',
  authentic: 'Authentic',
  notAuthentic: 'Not proven',
  uploaded: 'Uploaded',
  trust: 'Submitter',
  failed: 'Failed',
  day: 'Day',
  received: 'Received',
  download: 'Download',
  none: 'No reports',
}
