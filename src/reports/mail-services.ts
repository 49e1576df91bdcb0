// Known mail services, by the domains that they sign with, use as return path, or name their hosts by.

import { espOf } from '../model/esp.ts'
import { isAtOrBelow } from '../model/report.ts'

/** Domains of services that send mail for others. */
const SERVICES: Readonly<Record<string, string>> = {
  ActiveCampaign: 'activehosted.com acems1.com acems2.com acems3.com acems4.com',
  'Amazon SES': 'amazonses.com',
  Aweber: 'aweber.com awmail.net',
  Brevo: 'sendinblue.com brevo.com brevosend.com sender-sib.com mailin.fr sibmail.com',
  'Campaign Monitor': 'createsend.com cmail19.com cmail20.com cmail1.com cmail2.com',
  CleverReach: 'crsend.com cleverreach.com',
  'Constant Contact': 'constantcontact.com ccsend.com roving.com',
  'Customer.io': 'customeriomail.com cust-eu.io',
  'Elastic Email': 'elasticemail.com elasticemail.net smtpsendemail.com',
  Emarsys: 'emarsys.net emsmtp.com',
  Freshdesk: 'freshdesk.com freshemail.io',
  GetResponse: 'getresponse.com getresponse-mail.com',
  Google: 'google.com gmail.com googlemail.com gappssmtp.com googlegroups.com',
  HubSpot: 'hubspot.com hubspotemail.net hs-send.com hubspotservicehub.com hubspotstarter.net',
  Inxmail: 'inxserver.com inxserver.de inxmail.com',
  Iterable: 'iterable.com',
  Klaviyo: 'klaviyomail.com klaviyo.com',
  Loops: 'loops.so',
  Mailchimp: 'mcsv.net rsgsv.net mcdlv.net mailchimpapp.net mailchimpapp.com mailchimp.com',
  'Mailchimp Transactional': 'mandrillapp.com',
  MailerLite: 'mailerlite.com mlsend.com mlsend2.com mailersend.com mailersend.net mlsrvr.com',
  Mailgun: 'mailgun.org mailgun.net mailgun.com mailgun.us',
  Mailjet: 'mailjet.com mailjet.net',
  Mailtrap: 'mailtrap.io smtp.mailtrap.live',
  Marketo: 'mktomail.com marketo.com marketo.org mktdns.com',
  'Microsoft 365': 'outlook.com onmicrosoft.com office365.com hotmail.com',
  Mimecast: 'mimecast.com mimecastreport.com mimecast.org mimecast.net',
  Netcore: 'netcorecloud.net pepipost.com netcore.co.in',
  OnePageCRM: 'onepagecrm.com',
  'Oracle Responsys': 'rsys2.com rsys5.com responsys.net',
  'Oracle Eloqua': 'en25.com eloqua.com',
  Postmark: 'mtasv.net postmarkapp.com pmapp.com pm-bounces.com',
  Proofpoint: 'pphosted.com ppe-hosted.com proofpoint.com',
  Resend: 'resend.com resend.dev',
  Rapidmail: 'rapidmail.de emailsys1a.net emailsys2a.net',
  Sailthru: 'sailthru.com',
  Salesforce: 'salesforce.com exacttarget.com s7.exacttarget.com sfmc-content.com pardot.com pd25.com',
  Scaleway: 'scw-tem.cloud',
  SendCloud: 'sendcloud.org sendcloud.net',
  SendGrid: 'sendgrid.net sendgrid.me sendgrid.com sendgrid.info',
  SendPulse: 'sendpulse.com sendpul.se',
  Shopify: 'shopifyemail.com shopify.com',
  SMTP2GO: 'smtp2go.com smtpcorp.com smtp2go.net',
  'SMTP.com': 'smtp.com smtpserver.email',
  SparkPost: 'sparkpostmail.com sparkpost.com messagebird.com e.sparkpost.com',
  Stripe: 'stripe.com',
  Twilio: 'twilio.com',
  Vercel: 'vercel.email',
  Zendesk: 'zendesk.com zdsys.com',
  Zoho: 'zoho.com zohomail.com zoho.eu zcsend.net zohocorp.com zeptomail.com transmail.net maillist-manage.com',
  Fastmail: 'messagingengine.com fastmail.com',
  Yahoo: 'yahoo.com yahoodns.net aol.com',
  'Apple iCloud': 'icloud.com me.com apple.com',
  GMX: 'gmx.net gmx.de gmx.com',
  'WEB.DE': 'web.de',
  IONOS: 'kundenserver.de perfora.net ui-dns.de 1and1.com ionos.com',
  Strato: 'rzone.de strato.de',
  Hetzner: 'your-server.de',
  OVHcloud: 'ovh.net mail-out.ovh.net',
  Proton: 'protonmail.ch proton.me protonmail.com',
  'Mail.ru': 'mail.ru',
  Yandex: 'yandex.net yandex.ru',
}

const BY_DOMAIN: ReadonlyMap<string, string> = new Map(
  Object.entries(SERVICES).flatMap(([name, domains]) =>
    domains.split(' ').map((domain): [string, string] => [domain, name]),
  ),
)

/** Returns the name of the service to which a host or domain belongs; undefined for an unknown one. */
export function mailServiceOf(name: string): string | undefined {
  for (let ending = name.toLowerCase(); ; ) {
    const found = BY_DOMAIN.get(ending)
    const dot = ending.indexOf('.')
    if (found !== undefined || dot < 0) return found ?? espOf(name)?.name
    ending = ending.slice(dot + 1)
  }
}

/**
 * Returns the name of the service that certainly handled the messages: a signature of its domain passes, or SPF passes
 * for its return path. The sender's own domain names no service.
 */
export function serviceOfResults(passing: readonly string[], ownDomain: string): string | undefined {
  for (const domain of passing) {
    if (isAtOrBelow(domain, ownDomain)) continue
    const service = mailServiceOf(domain)
    if (service !== undefined) return service
  }
  return undefined
}
