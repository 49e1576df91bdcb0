// Texts of the problems on the home page, by the name that the service gives each problem.

import type { Texts } from '../texts.ts'

export const concerns = {
  account_suspended: {
    title: 'The account is suspended and cannot send',
    action: 'The operator of this installation knows the reason and can resume the account.',
  },
  allowance_used_up: {
    title: 'The sending allowance is used up',
    action: 'Ask the operator of this installation for more. Until then, messages are refused.',
  },
  allowance_low: {
    title: 'The sending allowance has {left} recipients left',
    action: 'Ask the operator of this installation for more. Once it is used up, messages are refused.',
  },
  stored_bytes_high: {
    title: 'Stored messages take up {stored} of {limit}',
    action: 'Ask the operator of this installation for a higher limit; messages that exceed it are refused.',
  },
  webhook_gone: {
    title: 'The webhook {webhook} is disabled: its receiver answered 410 (gone)',
    action: 'Fix the receiver, enable the webhook, and replay the missed events; or delete the webhook.',
  },
  webhook_failed: {
    title: 'The webhook {webhook} is disabled: every attempt failed for three days',
    action: 'Fix the receiver, enable the webhook, and replay the missed events; or delete the webhook.',
  },
  credits_used_up: {
    title: 'The verification credits are used up',
    action: 'Ask the operator of this installation for more. Until then, verifications are refused.',
  },
  credits_low: {
    title: '{left} verification credits are left',
    action:
      'Ask the operator of this installation for more. Once they are used up, verifications are refused.',
  },
  incident_replies: {
    title: '{provider}: {share} of the delivery attempts of {domain} fail',
    action: 'Since {since}. The incident shows its cause, an example and what to do.',
  },
  incident_hosts: {
    title: 'Other hosts: {share} of the delivery attempts of {domain} fail',
    action: 'Since {since}. The incident shows its cause, an example and what to do.',
  },
  incident_list_quality: {
    title: '{share} of the mail of {domain} goes to addresses that do not exist',
    action: 'Since {since}. The incident shows its cause, an example and what to do.',
  },
  incident_listing: {
    title: '{code} lists {address}',
    action: 'Since {since}. The incident shows its cause, an example and what to do.',
  },
  incident_alignment: {
    title: '{provider} cannot authenticate mail of {domain}',
    action: 'Since {since}. The incident shows its cause, an example and what to do.',
  },
  incident_alignment_several: {
    title: 'Several receivers cannot authenticate mail of {domain}',
    action: 'Since {since}. The incident shows its cause, an example and what to do.',
  },
  incident_requirement: {
    title: '{domain} does not meet the requirement {code} of {provider}',
    action: 'Since {since}. The incident shows its cause, an example and what to do.',
  },
  domain_flagged: {
    title: 'Required DNS records of {domain} are missing',
    action: 'Publish them again before {until}; after that the domain cannot send.',
  },
  domain_closed: {
    title: '{domain} can no longer send',
    action: 'The DNS records were missing for three days. Publish them again and verify the domain.',
  },
  domain_unverified: {
    title: '{domain} is not verified yet',
    action: 'Publish its DNS records and verify it; until then it cannot send.',
  },
  dmarc_missing: {
    title: '{domain} has no DMARC record',
    action: 'Publish one: large receivers may refuse its mail, and its broadcast streams stay closed.',
  },
  bounce_rate: {
    title: '{share} of the finished deliveries of {domain} bounced in the last 7 days',
    action:
      'Check the bounced messages and remove bad addresses from your lists: receivers block senders with high bounce rates.',
  },
  complaint_rate: {
    title:
      '{share} of the messages of {domain} to providers with a feedback loop were reported as spam in the last 7 days',
    action:
      'Send only to recipients who opted in, and make unsubscribing easy: above 0.3% large receivers block senders.',
  },
  held_domain_paused: {
    title: 'Messages of {domain} are held',
    action: 'The domain was paused on {since}. They are sent when it is resumed.',
  },
  held_domain_paused_by_operator: {
    title: 'Messages of {domain} are held',
    action: 'The operator paused the domain on {since}. They are sent when it is resumed.',
  },
  held_stream_paused: {
    title: 'Messages of {domain} are held',
    action: 'The operator paused the stream {value} on {since}. They are sent when it is resumed.',
  },
  held_destination_paused: {
    title: 'Messages of {domain} are held',
    action: 'The operator paused the destination {value} on {since}. They are sent when it is resumed.',
  },
  held_restored: {
    title: 'Messages of {domain} are held',
    action: 'The store was restored on {since}. The operator decides whether they are sent.',
  },
  queue_stuck: {
    title: 'The queue of {domain} is stuck',
    action:
      'Messages have been due for more than 15 minutes. Ask the operator to check the queue and the health page.',
  },
  clock_ahead: {
    title: 'The clock has jumped ahead by {days} days; old data is not removed for now',
    action:
      'Check NTP and the clocks of each node and of the database. Once the clocks are correct, removal resumes immediately. If the time is correct because the service was off for that long, removal resumes after {hours} more hours.',
  },
  certificate_expiring: {
    title: 'The TLS certificate expires on {until}',
    action:
      'Renew the certificate: programs that submit mail refuse an expired certificate. See the health page.',
  },
  certificate_expired: {
    title: 'The TLS certificate expired on {until}',
    action:
      'Renew the certificate: programs that submit mail refuse an expired certificate. See the health page.',
  },
  certificate_expiring_kept: {
    title: 'The TLS certificate expires on {until}',
    action: 'The certificate could not be replaced: {problem}',
  },
  certificate_expired_kept: {
    title: 'The TLS certificate expired on {until}',
    action: 'The certificate could not be replaced: {problem}',
  },
} as const satisfies Texts
