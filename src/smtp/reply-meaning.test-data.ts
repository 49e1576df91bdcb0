// Replies of mail hosts in the field, and what each of them means; written from public documentation. Long because it is
// one table, and grows with what is met.

import type { Stage } from './stage.ts'

/** A line: whose host, the stage, the category (`~` before it: greylisting), and the reply as it comes on the wire. */
const KNOWN = `
Gmail | rcpt | mailbox_not_found | 550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos or unnecessary spaces. For more information, go to https://support.google.com/mail/?p=NoSuchUser 6a1803df08f44-6b - gsmtp
Gmail | rcpt | mailbox_disabled | 550 5.2.1 The email account that you tried to reach is disabled. For more information, go to https://support.google.com/mail/?p=DisabledUser a92af1059eb24 - gsmtp
Gmail | rcpt | mailbox_disabled | 550 5.2.1 The email account that you tried to reach is inactive. For more information, go to https://support.google.com/mail/?p=DisabledUser - gsmtp
Gmail | rcpt | mailbox_full | 452 4.2.2 The recipient's inbox is out of storage space. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaTemp d9443c01a7336 - gsmtp
Gmail | rcpt | mailbox_full | 552 5.2.2 The recipient's inbox is out of storage space and inactive. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaPerm - gsmtp
Gmail | rcpt | mailbox_full | 452 4.2.2 The email account that you tried to reach is over quota. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaTemp - gsmtp
Gmail | rcpt | rate_limited | 450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. Please resend your message at a later time. https://support.google.com/mail/?p=ReceivingRate - gsmtp
Gmail | rcpt | rate_limited | 550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. https://support.google.com/mail/?p=ReceivingRatePerm - gsmtp
Gmail | rcpt | rate_limited | 450 4.2.1 The user you are trying to contact is receiving mail too quickly. Please resend your message at a later time. - gsmtp
Gmail | end-of-data | rate_limited | 421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your SPF domain [example.com]. To protect our users from spam, mail sent from your domain has been temporarily rate limited. - gsmtp
Gmail | end-of-data | content | 550 5.7.1 [192.0.2.1 12] Gmail has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been rejected. https://support.google.com/mail/?p=UnsolicitedMessageError - gsmtp
Gmail | end-of-data | blocked | 550 5.7.1 Gmail has detected that this message is likely suspicious due to the very low reputation of the sending IP address. To best protect our users from spam, the message has been blocked. - gsmtp
Gmail | end-of-data | blocked | 550 5.7.1 Gmail has detected that this message is likely suspicious due to the very low reputation of the sending domain. To best protect our users from spam, the message has been blocked. - gsmtp
Gmail | end-of-data | auth | 550 5.7.26 This mail has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM. Authentication results: DKIM = did not pass SPF [example.com] with ip: [192.0.2.1] = did not pass - gsmtp
Gmail | end-of-data | auth | 550 5.7.26 Unauthenticated email from example.com is not accepted due to domain's DMARC policy. Please contact the administrator of example.com domain if this was a legitimate mail. - gsmtp
Gmail | end-of-data | policy | 550 5.7.25 [192.0.2.1] The IP address sending this message does not have a PTR record setup, or the corresponding forward DNS entry does not point to the sending IP. As a policy, Gmail does not accept messages from IPs with missing PTR records. - gsmtp
Gmail | end-of-data | content | 552 5.7.0 This message was blocked because its content presents a potential security issue. Please visit https://support.google.com/mail/?p=BlockedMessage to review our message content and attachment content guidelines. - gsmtp
Gmail | mail | size | 552 5.3.4 Your message exceeded Google's message size limits. Please visit https://support.google.com/mail/?p=MaxSizeError to view our size guidelines. - gsmtp
Gmail | greeting | rate_limited | 421 4.7.0 Try again later, closing connection. - gsmtp
Gmail | greeting | blocked | 421 4.7.0 [192.0.2.1 15] Our system has detected that this IP address has a poor reputation. Mail sent from your IP address has been temporarily blocked. - gsmtp
Google Workspace | rcpt | tls | 421 4.7.0 TLS required for RCPT domain, closing connection. - gsmtp
Google Workspace | end-of-data | policy | 550 5.7.1 This message violates example.com email policy. - gcdp 5a1 - gsmtp
Google Workspace | rcpt | policy | 550 5.7.1 The user or domain that you are sending to (or from) has a policy that prohibited the mail that you sent. Please contact your domain administrator for further details. - gsmtp
Google Workspace | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com>: The email account that you tried to reach does not exist. https://support.google.com/mail/?p=NoSuchUser - gsmtp
Gmail | end-of-data | other | 451 4.3.0 Mail server temporarily rejected message. For more information, go to https://support.google.com/a/answer/3221692 - gsmtp
Gmail | rcpt | rate_limited | 452 4.5.3 Your message has too many recipients. For more information regarding Google's sending limits, go to https://support.google.com/mail/?p=TooManyRecipientsError - gsmtp
Microsoft 365 | rcpt | mailbox_not_found | 550 5.4.1 Recipient address rejected: Access denied. For more information see https://aka.ms/EXOSmtpErrors [AM4PEPF00027A5D.eurprd04.prod.outlook.com 2025-03-01T10:00:00.000Z 08DD5]
Microsoft 365 | rcpt | mailbox_not_found | 550 5.4.1 [bob@contoso.com]: Recipient address rejected: Access denied [VE1EUR01FT051.eop-EUR01.prod.protection.outlook.com]
Microsoft 365 | end-of-data | mailbox_not_found | 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient bob@contoso.com not found by SMTP address lookup
Microsoft 365 | end-of-data | mailbox_not_found | 550 5.1.1 RESOLVER.ADR.RecipNotFound; not found
Microsoft 365 | end-of-data | policy | 550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed because the sender was not authenticated when sending to this group
Microsoft 365 | end-of-data | policy | 550 5.7.1 RESOLVER.RST.AuthRequired; authentication required [Stage: CreateMessage]
Microsoft 365 | end-of-data | policy | 550 5.7.124 RESOLVER.RST.SenderNotInAllowedList; sender not in allowed-senders list
Microsoft 365 | rcpt | blocked | 550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/ and follow the directions. For more information please go to http://go.microsoft.com/fwlink/?LinkID=526655 AS(1430)
Microsoft 365 | rcpt | blocked | 550 5.7.511 Access denied, banned sender[192.0.2.1]. To request removal from this list please forward this message to delist@microsoft.com. For more information please go to http://go.microsoft.com/fwlink/?LinkId=526653. AS(1410)
Microsoft 365 | mail | blocked | 550 5.7.501 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus. To request removal from this list see https://www.spamhaus.org/query/ip/192.0.2.1 AS(1450)
Microsoft 365 | mail | rate_limited | 451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719) [DB5EUR03FT064.eop-EUR03.prod.protection.outlook.com]
Microsoft 365 | mail | rate_limited | 451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://aka.ms/postmaster (S775)
Microsoft 365 | end-of-data | auth | 550 5.7.509 Access denied, sending domain EXAMPLE.COM does not pass DMARC verification and has a DMARC policy of reject.
Microsoft 365 | end-of-data | auth | 550 5.7.515 Access denied, sending domain EXAMPLE.COM doesn't meet the required authentication level. The sender's domain in the 5322.From address doesn't meet the authentication requirements defined for the sender.
Microsoft 365 | end-of-data | auth | 550 5.7.23 The message was rejected because of Sender Policy Framework violation -> 550 5.7.23 SPF validation failed
Microsoft 365 | rcpt | policy | 550 5.7.64 TenantAttribution; Relay Access Denied [DB8EUR05FT027.eop-eur05.prod.protection.outlook.com]
Microsoft 365 | end-of-data | mailbox_full | 554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException.MapiExceptionShutoffQuotaExceeded; Failed to process message due to a permanent exception
Microsoft 365 | end-of-data | mailbox_disabled | 550 5.2.1 STOREDRV.Deliver; mailbox disabled
Microsoft 365 | rcpt | other | 451 4.4.4 Temporary server error. Please try again later ATTR5 [AM7EUR03FT013.eop-EUR03.prod.protection.outlook.com]
Microsoft 365 | rcpt | ~rate_limited | 450 4.7.25 Greylisted; Please try again later
Outlook.com | rcpt | mailbox_not_found | 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [CO1NAM04FT012.eop-NAM04.prod.protection.outlook.com]
Outlook.com | rcpt | mailbox_not_found | 550 Requested action not taken: mailbox unavailable (-1914079022:3944:-2147467259)
Outlook.com | mail | blocked | 550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150). You can also refer your provider to http://mail.live.com/mail/troubleshooting.aspx#errors. [HE1EUR04FT046]
Outlook.com | mail | blocked | 550 OU-002 (SNT004-MC1F28) Unfortunately, messages from 192.0.2.1 weren't sent. Please contact your Internet service provider since part of their network is on our block list.
Outlook.com | greeting | rate_limited | 421 RP-001 (BAY004-MC1F24) Unfortunately, some messages from 192.0.2.1 weren't sent. Please try again. We have limits for how many messages can be sent per hour and per day.
Outlook.com | end-of-data | mailbox_full | 552 5.2.2 Requested mail action aborted: exceeded storage allocation
Yahoo | end-of-data | mailbox_disabled | 554 30 Sorry, your message to bob@yahoo.com cannot be delivered. This mailbox is disabled (554.30).
Yahoo | rcpt | mailbox_not_found | 552 1 Requested mail action aborted, mailbox not found
Yahoo | end-of-data | mailbox_not_found | 554 delivery error: dd This user doesn't have a yahoo.com account (bob@yahoo.com) [0] - mta1020.mail.ne1.yahoo.com
Yahoo | end-of-data | mailbox_disabled | 554 delivery error: dd Sorry your message to bob@yahoo.de cannot be delivered. This account has been disabled or discontinued [#102]. - mta1.mail.yahoo.com
Yahoo | mail | rate_limited | 421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes
Yahoo | greeting | blocked | 553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list; see http://postmaster.yahoo.com/550-bl23.html
Yahoo | mail | blocked | 553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed. See https://postmaster.yahooinc.com/error-codes
Yahoo | end-of-data | policy | 554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes
Yahoo | end-of-data | auth | 554 5.7.9 Message not accepted for policy reasons: DMARC policy of the domain
Yahoo | rcpt | mailbox_full | 552 5.2.2 The email account that you tried to reach is over quota
AOL | rcpt | mailbox_not_found | 550 5.1.1 <bob@aol.com>: Recipient address rejected: aol.com
AOL | greeting | blocked | 554 5.7.1 : (RTR:BL) https://postmaster.aol.com/error-codes#554rtrbl
AOL | end-of-data | blocked | 521 5.2.1 : (HVU:B1) http://postmaster.info.aol.com/errors/554hvub1.html
AOL | rcpt | mailbox_not_found | 550 MAILBOX NOT FOUND
iCloud | rcpt | mailbox_disabled | 550 5.1.1 <bob@icloud.com>: inactive email address
iCloud | rcpt | mailbox_not_found | 550 5.1.1 <bob@me.com>: user does not exist
iCloud | rcpt | mailbox_full | 552 5.2.2 <bob@icloud.com>: user is over quota
iCloud | mail | blocked | 550 5.7.0 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.1
iCloud | greeting | blocked | 554 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1
iCloud | end-of-data | content | 550 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137 spam
iCloud | end-of-data | blocked | 554 5.7.1 [HM08] Message rejected due to local policy, your IP reputation
Mimecast | rcpt | mailbox_not_found | 550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [abc.uk100]
Mimecast | rcpt | mailbox_not_found | 501 Invalid address
Mimecast | rcpt | mailbox_not_found | 503 User unknown
Mimecast | rcpt | ~rate_limited | 451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451 [xyz.us12]
Mimecast | rcpt | policy | 550 Envelope blocked - User Entry - https://community.mimecast.com/docs/DOC-1369#550 [xyz]
Mimecast | end-of-data | policy | 554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554 [abc]
Mimecast | rcpt | blocked | 550 Rejected by header based Blocked Senders - block listed
Mimecast | rcpt | auth | 550 Rejected by header based manually Blocked Senders - SPF
Mimecast | rcpt | auth | 550 Anti-Spoofing policy - Inbound not allowed
Mimecast | end-of-data | content | 554 Virus Signature Detected - https://community.mimecast.com/docs/DOC-1369#554
Proofpoint | rcpt | mailbox_not_found | 550 5.1.1 User Unknown
Proofpoint | greeting | blocked | 554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1
Proofpoint | greeting | rate_limited | 421 4.7.0 Connection rate limit exceeded
Proofpoint | rcpt | policy | 550 5.7.1 Relaying denied
Proofpoint | end-of-data | content | 554 5.7.0 Reject, id=1234-05 - SPAM
Barracuda | rcpt | mailbox_not_found | 550 No such user (bob@example.com) (mx-inbound12.us-east-2a.ess.aws.cudaops.com)
Barracuda | greeting | blocked | 550 permanent failure for one or more recipients (bob@example.com:blocked)
Barracuda | rcpt | blocked | 554 Service unavailable; Client host [192.0.2.1] blocked using Barracuda Reputation; http://www.barracudanetworks.com/reputation/?r=1&ip=192.0.2.1
Barracuda | rcpt | mailbox_not_found | 550 permanent failure for one or more recipients (bob@example.com:550 5.1.1 User unknown)
Barracuda | rcpt | domain_invalid | 550 5.1.1 Domain not found in relay list
Cisco | rcpt | mailbox_not_found | 550 #5.1.0 Address rejected.
Cisco | rcpt | mailbox_not_found | 550 5.1.0 Address rejected bob@example.com
Cisco | greeting | blocked | 554 Your access to this mail system has been rejected due to the sending MTA's poor reputation. If you believe that this failure is in error, please contact the intended recipient via alternate means.
Cisco | greeting | rate_limited | 421 Exceeded allowable connection time, disconnecting: too many connections
Cisco | rcpt | rate_limited | 452 Too many recipients received this hour
Cisco | end-of-data | content | 554 5.7.1 Message rejected: spam content
Cisco | end-of-data | size | 552 #5.3.4 message size exceeds limit
Zoho | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com> Email address could not be found, or was misspelled (G8)
Zoho | rcpt | mailbox_not_found | 553 Invalid recipient bob@example.com (Mode: normal)
Zoho | rcpt | policy | 553 Relaying disallowed as bob@example.com
Zoho | rcpt | blocked | 541 5.4.1 Mail rejected by destination domain: your IP is blocked
Zoho | rcpt | ~rate_limited | 451 4.7.1 Greylisted, try again after some time
GMX | rcpt | mailbox_not_found | 550 Requested action not taken: mailbox unavailable
GMX | greeting | blocked | 554-gmx.net (mxgmx016) Nemesis ESMTP Service not available No SMTP service IP address is black listed. For explanation visit https://www.gmx.net/mail/senderguidelines?c=bl&i=ip&v=192.0.2.1
GMX | end-of-data | policy | 554 Transaction failed Reject due to policy restrictions. For explanation visit https://postmaster.gmx.net/en/case?c=r1103
GMX | greeting | rate_limited | 421 gmx.net (mxgmx117) Nemesis ESMTP Service not available, closing transmission channel, too many connections
GMX | mail | policy | 550 Requested action not taken: mailbox unavailable Sender address is not allowed
Web.de | rcpt | mailbox_not_found | 550 <bob@web.de> User unknown / Benutzer nicht bekannt
Web.de | rcpt | mailbox_full | 550 <bob@web.de> User has exhausted allowed storage space / Benutzer hat das Speichervolumen ueberschritten
T-Online | rcpt | mailbox_not_found | 550 5.1.1 <bob@t-online.de> user unknown
T-Online | greeting | blocked | 554 IP=192.0.2.1 - A problem occurred. Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.
T-Online | greeting | blocked | 554 IP=192.0.2.1 - None/bad reputation. Ask your postmaster for help or to contact tobr@rx.t-online.de for reset. (NOWL)
T-Online | rcpt | mailbox_full | 552 5.2.2 Over STORAGE quota
Orange | rcpt | mailbox_not_found | 550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]
Orange | greeting | rate_limited | 421 mwinf5c04 ME Trop de connexions, veuillez verifier votre configuration. Too many connections, slow down. OFR004_104 [104]
Orange | greeting | blocked | 550 5.7.1 Service refuse. Veuillez essayer plus tard. Service refused, blacklisted. OFR_506
Orange | rcpt | mailbox_full | 552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]
Free | rcpt | mailbox_not_found | 550 5.1.1 <bob@free.fr>: Recipient address rejected: User unknown in virtual mailbox table
Free | end-of-data | content | 550 spam detected
Free | rcpt | rate_limited | 451 too many errors from your ip (192.0.2.1), please visit http://postmaster.free.fr/
La Poste | rcpt | mailbox_not_found | 550 5.1.1 Adresse d au moins un destinataire invalide. LPN105_402
La Poste | end-of-data | policy | 550 5.5.0 Service refuse. Veuillez essayer plus tard. service refused, please try later. LPN007_510
SFR | rcpt | mailbox_not_found | 550 5.1.1 <bob@sfr.fr>: Recipient address rejected: User unknown in local recipient table
SFR | end-of-data | content | 550 5.7.1 Message content rejected
Mail.ru | rcpt | mailbox_not_found | 550 Message was not accepted -- invalid mailbox. Local mailbox bob@mail.ru is unavailable: user not found
Mail.ru | rcpt | mailbox_disabled | 550 Message was not accepted -- invalid mailbox. Local mailbox bob@mail.ru is unavailable: account is disabled
Mail.ru | rcpt | mailbox_full | 550 Message was not accepted -- invalid mailbox. Local mailbox bob@mail.ru is unavailable: mailbox is full
Mail.ru | end-of-data | content | 550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=abc or report details to abuse@corp.mail.ru. Error code: 1234
Mail.ru | greeting | blocked | 550 Access from ip address 192.0.2.1 blocked. Visit http://win.mail.ru/cgi-bin/support_bl?ip=192.0.2.1
Yandex | rcpt | mailbox_not_found | 550 5.7.1 No such user!
Yandex | end-of-data | content | 554 5.7.1 Message rejected under suspicion of SPAM; https://ya.cc/1IrBc 1700000000-abc
Yandex | greeting | blocked | 554 5.7.1 Service refused. Please see http://feedback2.yandex.ru/?from_ip=192.0.2.1 your ip
Yandex | rcpt | mailbox_full | 552 5.2.2 Mailbox size limit exceeded
QQ | rcpt | mailbox_not_found | 550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000728
QQ | rcpt | mailbox_not_found | 550 The recipient may contain a non-existent account, please check the recipient address. https://service.mail.qq.com/detail/0/122
QQ | end-of-data | rate_limited | 550 Mail content denied, sending frequency limited
QQ | end-of-data | content | 550 Mail content denied. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000726
QQ | greeting | blocked | 550 Connection denied. http://service.mail.qq.com/cgi-bin/help?id=20022
QQ | rcpt | mailbox_disabled | 550 Mailbox unavailable or access denied: user disabled
163 | rcpt | mailbox_not_found | 550 User not found: bob@163.com
163 | rcpt | mailbox_disabled | 550 User suspended: bob@163.com
163 | greeting | blocked | 421 HL:REP 163 mx12,wKjADg== http://mail.163.com/help/help_spam_16.htm?ip=192.0.2.1
163 | greeting | rate_limited | 421 HL:ICC 163 mx14 too many connections
163 | end-of-data | content | 554 DT:SPM 163 mx24,PMCowAAH http://mail.163.com/help/help_spam_16.htm
163 | mail | auth | 550 MI:SPF 163 mx8,DMmow http://mail.163.com/help/help_spam_16.htm?ip=192.0.2.1
Exim | rcpt | mailbox_not_found | 550 Unrouteable address
Exim | rcpt | mailbox_not_found | 550 Unknown user
Exim | rcpt | policy | 550-Verification failed for <a@example.com> The mail server could not deliver mail. The account or domain may not exist. Sender verify failed
Exim | rcpt | other | 451 Temporary local problem - please try later
Exim | rcpt | policy | 550 relay not permitted
Exim | ehlo | protocol | 501 Syntactically invalid HELO argument(s)
Exim | end-of-data | content | 550 This message scored 12.4 spam points.
Exim | rcpt | ~rate_limited | 451 Greylisted - please try again later
Exim | end-of-data | size | 552 Message size exceeds maximum permitted
Exim | rcpt | blocked | 550-"JunkMail rejected - (host) [192.0.2.1]:25 is in an RBL, see https://www.spamhaus.org/query/ip/192.0.2.1"
Postfix | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com>: Recipient address rejected: User unknown in local recipient table
Postfix | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com>: Recipient address rejected: User unknown in relay recipient table
Postfix | rcpt | mailbox_not_found | 450 4.1.1 <bob@example.com>: Recipient address rejected: User unknown in virtual alias table
Postfix | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com>: Recipient address rejected: undeliverable address: host mx.example.com[192.0.2.9] said: 550 5.1.1 User unknown (in reply to RCPT TO command)
Postfix | rcpt | other | 450 4.1.1 <bob@example.com>: Recipient address rejected: unverified address: connect to mx.example.com[192.0.2.9]:25: Connection timed out
Postfix | rcpt | policy | 554 5.7.1 <bob@example.com>: Relay access denied
Postfix | rcpt | policy | 554 5.7.1 <bob@example.com>: Recipient address rejected: Access denied
Postfix | rcpt | policy | 450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]
Postfix | rcpt | policy | 450 4.7.1 <mail.example.com>: Helo command rejected: Host not found
Postfix | rcpt | policy | 450 4.1.8 <a@example.com>: Sender address rejected: Domain not found
Postfix | rcpt | policy | 550 5.1.0 <a@example.com>: Sender address rejected: User unknown in virtual mailbox table
Postfix | rcpt | blocked | 554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1
Postfix | rcpt | mailbox_full | 552 5.2.2 <bob@example.com>: Recipient address rejected: Mailbox is full / Quota exceeded
Postfix | mail | size | 552 5.3.4 Message size exceeds fixed limit
Postfix | rcpt | other | 452 4.3.1 Insufficient system storage
Postfix | greeting | rate_limited | 421 4.7.0 mx.example.com Error: too many connections from 192.0.2.1
Postfix | rcpt | other | 451 4.3.0 <bob@example.com>: Temporary lookup failure
Postfix | rcpt | protocol | 503 5.5.1 Error: need MAIL command
Postfix | rcpt | mailbox_not_found | 501 5.1.3 Bad recipient address syntax
Postfix | rcpt | domain_invalid | 556 5.1.10 <bob@example.com>: Recipient address rejected: Domain example.com does not accept mail (nullMX)
Postfix | rcpt | domain_invalid | 450 4.1.2 <bob@example.com>: Recipient address rejected: Domain not found
Postfix | mail | tls | 530 5.7.0 Must issue a STARTTLS command first
Postfix | auth | auth | 535 5.7.8 Error: authentication failed: UGFzc3dvcmQ6
Sendmail | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com>... User unknown
Sendmail | rcpt | mailbox_not_found | 550 5.7.1 <bob@example.com>... User unknown
Sendmail | rcpt | policy | 550 5.7.1 <bob@example.com>... Relaying denied. IP name lookup failed [192.0.2.1]
Sendmail | mail | policy | 553 5.1.8 <a@example.com>... Domain of sender address a@example.com does not exist
Sendmail | rcpt | domain_invalid | 550 5.1.2 <bob@example.com>... Host unknown (Name server: example.com: host not found)
Sendmail | greeting | blocked | 550 5.7.1 Access denied
Sendmail | ehlo | rate_limited | 421 4.3.2 Connection rate limit exceeded.
Sendmail | end-of-data | other | 554 5.4.6 Too many hops 26 (25 max)
qmail | rcpt | mailbox_not_found | 550 sorry, no mailbox here by that name (#5.1.1 - chkuser)
qmail | rcpt | mailbox_not_found | 511 sorry, no mailbox here by that name (#5.1.1 - chkuser)
qmail | rcpt | policy | 553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)
qmail | mail | policy | 553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)
qmail | rcpt | mailbox_full | 552 sorry, recipient mailbox is over quota (#5.2.2)
Exchange | rcpt | mailbox_not_found | 550 5.1.1 User unknown
Exchange | rcpt | mailbox_not_found | 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
Exchange | rcpt | policy | 550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain
Exchange | mail | auth | 530 5.7.1 Client was not authenticated
Exchange | rcpt | policy | 550 5.7.1 Unable to relay
Exchange | greeting | other | 421 4.3.2 Service not available
Exchange | end-of-data | size | 552 5.3.4 Message size exceeds fixed maximum message size
Haraka | rcpt | mailbox_not_found | 550 I cannot deliver mail for <bob@example.com>: no such user
Haraka | rcpt | policy | 550 5.7.1 I cannot deliver mail for bob@example.com: relaying denied
Haraka | greeting | blocked | 550 host [192.0.2.1] is listed on zen.spamhaus.org
Stalwart | rcpt | mailbox_not_found | 550 5.1.2 Mailbox does not exist.
Stalwart | rcpt | policy | 550 5.1.2 Relay not allowed.
Stalwart | rcpt | ~rate_limited | 452 4.2.2 Greylisted, please try again in a few moments.
Stalwart | mail | rate_limited | 452 4.4.5 Rate limit exceeded, try again later.
Stalwart | rcpt | mailbox_full | 552 5.2.2 Mailbox over quota.
OpenSMTPD | rcpt | mailbox_not_found | 550 Invalid recipient: <bob@example.com>
OpenSMTPD | rcpt | mailbox_not_found | 524 5.2.4 Mailing list expansion problem: user not found
OpenSMTPD | rcpt | blocked | 550 Your IP address is denied: spamd
postgrey | rcpt | ~rate_limited | 450 4.2.0 <bob@example.com>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/example.com.html
milter-greylist | rcpt | ~rate_limited | 451 4.7.1 Greylisting in action, please come back in 00:05:00
greylisting | rcpt | ~rate_limited | 450 4.7.1 <bob@example.com>: Recipient address rejected: Please try again in 300 seconds
Spamhaus | rcpt | blocked | 550 5.7.1 Mail from 192.0.2.1 refused - see https://check.spamhaus.org/sbl/query/SBL123
Spamhaus | mail | blocked | 554 5.7.1 Error: open resolver; https://check.spamhaus.org/returnc/pub/192.0.2.1
Lotus Domino | rcpt | mailbox_not_found | 550 bob@example.com... No such user: not listed in Domino Directory
Lotus Domino | end-of-data | mailbox_not_found | 550 User bob (bob@example.com) not listed in Domino Directory
wp.pl | rcpt | mailbox_not_found | 550 Nie ma takiego uzytkownika
Onet | rcpt | mailbox_not_found | 550 5.1.1 Nieznany odbiorca
Seznam | rcpt | mailbox_not_found | 550 5.1.1 Sorry, no mailbox here by that name. Uzivatel neexistuje
Libero | rcpt | mailbox_not_found | 550 RCPT TO:<bob@libero.it> Utente sconosciuto / User unknown
Terra | rcpt | mailbox_not_found | 550 Usuario desconocido
UOL | rcpt | mailbox_not_found | 550 Destinatario inexistente
Naver | rcpt | mailbox_not_found | 550 5.1.1 No such user - nsmtp
Comcast | rcpt | mailbox_not_found | 550 5.1.1 Not our Customer
Comcast | greeting | blocked | 554 resimta-c1p-035 comcast 192.0.2.1 Comcast requires that all mail servers must have a PTR record with a valid Reverse DNS entry.
Comcast | greeting | blocked | 554 resimta-po-12v.sys.comcast.net resimta 192.0.2.1 found on one or more DNSBLs, see http://postmaster.comcast.net/smtp-error-codes.php#BL000001
Fastmail | rcpt | mailbox_not_found | 550 5.1.1 <bob@fastmail.com>: Recipient address rejected: User unknown in local recipient table (see https://www.fastmail.help/)
Proton | rcpt | mailbox_not_found | 550 5.1.1 <bob@proton.me>: Recipient address rejected: Address does not exist
Amazon SES | rcpt | mailbox_not_found | 550 5.1.1 User does not exist
Rackspace | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com>: Recipient address rejected: User unknown. G8
Rackspace | mail | blocked | 554 5.7.1 ACL dns_rbl; Client host [192.0.2.1] blocked using gbudb; see http://postmaster.emailsrvr.com
Trend Micro | rcpt | blocked | 550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using Trend Micro RBL+. Please see http://www.mail-abuse.com/cgi-bin/lookup?ip_address=192.0.2.1
Symantec | greeting | blocked | 501 Connection rejected by policy [7.7] 16307, please visit www.messagelabs.com/support for more details about this error message.
Symantec | rcpt | mailbox_not_found | 550 Invalid recipient <bob@example.com> (#5.1.1)
`

/** Written down after the rules, from replies in public collections, to measure the rules with. */
const COLLECTED = `
Gmail | end-of-data | blocked | 421 4.7.0 [192.0.2.1] Our system has detected that this message is suspicious due to the very low reputation of the sending domain. To best protect our users from spam, the message has been blocked. Please visit https://support.google.com/mail/answer/188131 for more information. - gsmtp
Gmail | end-of-data | content | 421 4.7.0 [192.0.2.1] Our system has detected that this message is suspicious due to the nature of the content and/or the links within. To best protect our users from spam, the message has been blocked. - gsmtp
Gmail | end-of-data | auth | 421 4.7.32 This mail has been rate limited because there is no DMARC alignment
Gmail | end-of-data | content | 550 5.7.1 [192.0.2.1] Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked. - gsmtp
Gmail | end-of-data | content | 550 5.7.1 [192.0.2.1 14] Messages missing a valid address in From: header, or having no From: header, are not accepted. - gsmtp
Gmail | end-of-data | content | 552 5.7.0 Our system detected an illegal attachment on your message. Please visit http://mail.google.com/support/bin/answer.py?answer=6590 to review our attachment guidelines.
Gmail | rcpt | mailbox_full | 552 5.2.2 The email account that you tried to reach is over quota. Please direct the recipient to https://support.google.com/mail/?p=OverQuotaPerm - gsmtp
Gmail | rcpt | mailbox_not_found | 553 5.1.2 The recipient address <example@example.com> is not a valid RFC-5321 address. - gsmtp
Gmail | end-of-data | size | 552 5.2.3 Your message exceeded Google's message size limits. Please visit http://mail.google.com/support/bin/answer.py?answer=8770 to review our size guidelines.
Yahoo | greeting | other | 421 Service not available, closing transmission channel
Yahoo | mail | rate_limited | 421 Max message per connection reached, closing transmission channel
Yahoo | rcpt | rate_limited | 450 User is receiving mail too quickly
Yahoo | mail | other | 451 example.yahoo.com Resources temporarily unavailable. Please try again later [#4.16.1].
Yahoo | end-of-data | other | 451 4.3.2 Internal server error
Yahoo | rcpt | other | 452 temporary domain failure <example@example.com>
Yahoo | mail | protocol | 501 Syntax error in parameters or arguments
Yahoo | rcpt | policy | 550 relaying denied for <example@example.com>
Yahoo | mail | blocked | 553 Mail from 192.0.2.1 not allowed - 5.7.1 [BL23] Connections not accepted from IP addresses on Spamhaus XBL; see http://postmaster.yahoo.com/errors/550-bl23.html [550]
Yahoo | end-of-data | mailbox_disabled | 554 delivery error: dd example@example.com is no longer valid. [-20] - example.yahoo.com
Yahoo | end-of-data | policy | 554 Message not allowed - [PH01] Email not accepted for policy reasons. Please visit https://postmaster.yahooinc.com/error-codes
Yahoo | end-of-data | content | 554 Message not allowed - Headers are not RFC compliant[291]
Yahoo | end-of-data | policy | 554 Message not allowed - [299]
Yahoo | end-of-data | other | 554 delivery error: dd Requested mail action aborted - example.yahoo.com
iCloud | rcpt | rate_limited | 421 4.7.1 Messages to example@icloud.com deferred due to excessive volume. Try again later - https://support.apple.com/en-us/HT204137
iCloud | mail | rate_limited | 421 4.7.0 me.com Error: too many errors
iCloud | end-of-data | auth | 550 5.7.1 Your message was rejected due to example.com's DMARC policy. See https://support.apple.com/en-us/HT204137 for info
iCloud | end-of-data | blocked | 550 5.7.1 Your email was rejected due to having a domain present in the Spamhaus DBL -- see https://www.spamhaus.org/dbl/
iCloud | end-of-data | policy | 550 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137
iCloud | rcpt | mailbox_full | 552 5.2.2 <example@icloud.com>: user is overquota
iCloud | rcpt | policy | 554 5.7.1 <example@icloud.com>: Relay access denied
Outlook.com | mail | rate_limited | 450 4.7.3 Organization queue quota exceeded. [outlook.com]
Outlook.com | end-of-data | other | 451 4.4.0 Message failed to be replicated: No healthy secondary server available to accept replica at this time. [outlook.com]
Outlook.com | end-of-data | other | 451 4.7.0 Temporary server error. Please try again later. PRX6 NextHop: outlook.com [outlook.com]
Outlook.com | mail | rate_limited | 451 4.7.651 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://postmaster.live.com (S3114)
Outlook.com | rcpt | mailbox_not_found | 501 5.1.3 Invalid address [outlook.com]
Outlook.com | mail | blocked | 550 5.7.1 Service unavailable, MailFrom domain is listed in Spamhaus. To request removal from this list see https://www.spamhaus.org/query/lookup/ (S8002)
Outlook.com | rcpt | mailbox_not_found | 550 5.4.1 All recipient addresses rejected : Access denied [CO1NAM11FT006.eop-nam11.prod.protection.outlook.com]
Outlook.com | rcpt | other | 452 4.3.1 Insufficient system resources (TSTE) [outlook.com]
Microsoft 365 | rcpt | rate_limited | 554 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour. For more information go to http://go.microsoft.com/fwlink/?LinkId=526653.
Microsoft 365 | rcpt | rate_limited | 554 5.2.121 The sender has exceeded the limit for the number of messages they can send to this recipient per hour. For more information go to http://go.microsoft.com/fwlink/?LinkId=526653.
Microsoft 365 | ehlo | blocked | 550 5.7.1 Service unavailable, Helo domain is listed in Spamhaus. To request removal from this list see https://www.spamhaus.org/query/lookup/ (S8001)
Microsoft 365 | greeting | rate_limited | 421 4.3.2 The maximum number of concurrent connections per resource forest has exceeded a limit, closing transmission channel. example.com. PRX8 [example.com]
Microsoft 365 | rcpt | rate_limited | 451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (AS77712344)
Yandex | end-of-data | network | 421 4.4.2 mail.yandex.net Error: timeout exceeded
Yandex | rcpt | rate_limited | 450 4.2.1 The recipient has exceeded message rate limit. Try again later.
Yandex | rcpt | ~rate_limited | 451 4.7.1 Sorry, the service is currently unavailable. Please come back later.
Yandex | rcpt | policy | 550 5.7.1 Policy rejection on the target address
Yandex | end-of-data | content | 554 5.7.1 [1] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc
Proofpoint | rcpt | other | 421 4.1.1 <email@example.com>: Recipient address rejected: unverified address: Address verification in progress
Proofpoint | rcpt | mailbox_not_found | 550 5.1.1 - This is not a valid email address. Please verify that you have the correct email address for your recipient.
Proofpoint | rcpt | policy | 550 5.1.8 <sender@example.com>: Sender address rejected: Domain not found
Proofpoint | rcpt | policy | 550 5.5.2 <email@example.com>: Sender address rejected: need fully-qualified address
Proofpoint | rcpt | mailbox_not_found | 550 5.7.1 <email@example.com>: Recipient address rejected: User email address is marked as invalid.
Proofpoint | rcpt | policy | 550 5.7.1 Relay access denied
Proofpoint | rcpt | blocked | 550 5.7.1 Service unavailable; client [192.0.2.1] blocked using prs.proofpoint.com
Proofpoint | rcpt | blocked | 550 5.7.1 Service unavailable; client [192.0.2.1] blocked using Cloudmark Sender Intelligence (Visit http://csi.cloudmark.com/reset-request/ if you feel this is in error)
Barracuda | end-of-data | other | 421 Temporary failure, please try again later.
Barracuda | rcpt | other | 422 License Expired
Barracuda | rcpt | policy | 450 cuda_nsu 4.7.1 <email@example.com>: Recipient address rejected: Policy Rejection- Abuse. Go away.
Barracuda | rcpt | ~rate_limited | 451 4.7.1 <email@example.com>: Recipient address rejected: Greylisted for 5 minutes
Barracuda | rcpt | mailbox_not_found | 550 cuda_nsu 5.1.1 <email@example.com>... User unknown
Barracuda | end-of-data | blocked | 550 Blocked
Barracuda | end-of-data | auth | 550 rejecting spoofed message
Barracuda | end-of-data | content | 554 rejected due to spam URL in content
Barracuda | end-of-data | content | 554 rejecting banned content
ZeroSpam | rcpt | ~rate_limited | 450 4.2.0 <email@example.com>: Recipient address rejected: example.com greylisted for 60 seconds by ZEROSPAM
ZeroSpam | rcpt | mailbox_not_found | 554 5.7.1 <email@example.com>: Recipient address rejected: Not in recipient list
Comcast | rcpt | rate_limited | 452 4.1.1 <example@comcast.net> too many recent messages; Try again later
Comcast | rcpt | mailbox_full | 452 4.1.1 <example@comcast.net> user over quota
Comcast | rcpt | mailbox_full | 552 5.1.1 <example@comcast.net> recipient rejected - extended quota violation
Comcast | rcpt | mailbox_not_found | 550 5.1.1 <example@comcast.net> recipient mailbox unallocated
Comcast | end-of-data | auth | 550 5.2.0 Message rejected due to DMARC. Please see http://postmaster.comcast.net/smtp-error-codes.php#DM000001
Comcast | greeting | blocked | 554 xx.comcast.net comcast 192.0.2.1 Comcast block for spam. Please see http://postmaster.comcast.net/smtp-error-codes.php#BL000000
AT&T | rcpt | mailbox_not_found | 550 5.2.1 <EXAMPLE@PRODIGY.NET>... Addressee unknown, relay=[192.0.2.1]
AT&T | rcpt | mailbox_not_found | 550 5.2.1 <example@prodigy.net>... blank mailhost - invalid address, relay=[192.0.2.1]
AT&T | greeting | blocked | 550 5.7.1 Connections not accepted from servers without a valid sender domain. Fix reverse DNS for 192.0.2.1
Rambler | rcpt | mailbox_disabled | 540 5.7.1 <example@rambler.ru>: recipient address rejected: Inactive
Rambler | rcpt | rate_limited | 452 4.5.3 rate limit exceeded
Rambler | end-of-data | content | 554 5.7.1 Spam message rejected; If this is not spam contact abuse
Zoho | rcpt | policy | 452 <example@zoho.com> Mailbox delivery restricted by policy error
Zoho | end-of-data | content | 552 5.7.1 virus [name] detected by Zoho Mail
Zoho | end-of-data | content | 554 5.7.1 Email cannot be delivered. Reason: Email flagged as Spam.
Zoho | end-of-data | policy | 554 5.2.3 MailPolicy violation Error delivering to mailboxes
Zoho | end-of-data | auth | 550 5.7.1 Email rejected per DMARC policy for zoho.com
Free | rcpt | mailbox_disabled | 550 5.2.1 This mailbox has been blocked due to inactivity
Free | end-of-data | content | 550 virus detected
Free | rcpt | mailbox_full | 552 5.2.2 user quota exceeded (UserSearch)
Free | rcpt | mailbox_full | 554 5.2.2 <example@free.fr>: Recipient address rejected: Quota exceeded (mailbox for user is full)
Rackspace | rcpt | mailbox_not_found | 550 5.1.1 Email address could not be found, or was misspelled (G8)
Rackspace | rcpt | policy | 450 4.7.1 Client host 192.0.2.1 has no PTR record
ImprovMX | rcpt | blocked | 551 5.7.1 Due to the very low reputation of the sending domain, this message has been blocked (Code 2).
ImprovMX | rcpt | other | 551 5.7.1 Loop detected: Email is sent and forwarded from/to improvmx.com. (#id-5.9.0)
ImprovMX | rcpt | domain_invalid | 551 5.7.1 Domain not found (#id-5.9.2)
QQ | rcpt | policy | 550 Mail is rejected by recipients
QQ | mail | rate_limited | 550 Sender frequency limited. http://service.exmail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000723
QQ | mail | blocked | 550 Suspected spam sender.
QQ | end-of-data | auth | 550 DMARC check failed http://service.mail.qq.com/cgi-bin/help?subtype=1&&no=1001508&&id=16.
QQ | rcpt | mailbox_not_found | 501 Bad address syntax. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000730
Hostpoint | mail | auth | 550 SPF-check failed: 550 example.com doesn't allow sending mails from 192.0.2.1
Orange | end-of-data | policy | 550 5.2.0 Mail rejete. Mail rejected. ofr_506 [506]
Orange | greeting | blocked | 550 mwinf5c14 ME Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102 Ref http://csi.cloudmark.com/reset-request/?ip=192.0.2.1 [102]
Orange | mail | policy | 501 5.1.0 Emetteur invalide. Invalid Sender. OFR004_405 [405]
Web.de | end-of-data | auth | 550 <example@example.com>: Reject due to SPF policy. The originating IP of the message is not permitted by the domain owner
Web.de | greeting | blocked | 550 <example@example.com>: Bad DNS PTR resource record
Web.de | rcpt | mailbox_full | 550 <example@example.com>: Requested mail action aborted: exceeded storage allocation, Quota exceeded
Web.de | end-of-data | policy | 550 Requested action not taken: mailbox unavailable Reject due to policy restrictions.
Web.de | rcpt | policy | 550 <example@example.com>: Reject due to policy restrictions (IP based)
Web.de | greeting | blocked | 550 <example@example.com>: IP address is block listed
Web.de | mail | policy | 550 <example@example.com>: Invalid DNS MX or A/AAAA resource record
Mimecast | rcpt | policy | 550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550 [abc]
Mimecast | end-of-data | blocked | 550 Rejected by header based manually Blocked Senders: email@example.com - https://community.mimecast.com/docs/DOC-1369#550 [abc]
Mimecast | rcpt | auth | 550 DMARC Sender Invalid - envelope rejected - https://community.mimecast.com/docs/DOC-1369#550 [abc]
Mimecast | rcpt | policy | 451 Open relay not allowed - https://community.mimecast.com/docs/DOC-1369#451 [abc]
Mimecast | rcpt | mailbox_not_found | 451 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#451 [abc]
Trend Micro | rcpt | blocked | 550 5.7.1 <example@example.com>: Recipient address rejected: ERS-Customized-Block.
Trend Micro | rcpt | blocked | 554 5.7.1 <example@example.com>: Recipient address rejected: BLOCK-SEND-ER.
Trend Micro | rcpt | mailbox_not_found | 554 5.7.1 <example@example.com>: Recipient address rejected: Invalid-Recipient.
Trend Micro | rcpt | domain_invalid | 554 5.7.1 <example@example.com>: Recipient address rejected: NO-DOMAIN.
FireEye | end-of-data | auth | 550 5.7.26 <example@example.com>: ETP205 DMARC Failure for domain
Symantec | rcpt | policy | 553 you are trying to use me [xx.messagelabs.com] as a relay, but I have not been configured to let you [192.0.2.1, example.com] do this. Please visit www.symanteccloud.com/troubleshooting (#5.7.1)
Symantec | end-of-data | content | 553 Message filtered. Refer to the Troubleshooting page at http://www.symanteccloud.com/troubleshooting for more information. (#5.7.1)
Infomaniak | rcpt | policy | 450 4.1.8 Sender address rejected: Domain not found (in reply to RCPT TO command)
IONOS | greeting | blocked | 421 Reject due to policy violations
IONOS | mail | rate_limited | 421 Rate limit reached. Please try again later
IONOS | rcpt | other | 451 Requested action aborted: local error in processing
Freenet | rcpt | mailbox_not_found | 550 unrouteable address
Compuserve | rcpt | mailbox_not_found | 550 5.1.1 <bob@compuserve.com>... Mailbox not found
Lycos | rcpt | mailbox_disabled | 550 <bob@lycos.de>: Recipient address rejected: Account Closed
Web.de | rcpt | mailbox_not_found | 550 Unknown local part bob in <bob@web.de>
Web.de | rcpt | mailbox_full | 550 Benutzer hat zuviele Mails auf dem Server. / User has too many messages on the server.
Compuserve | greeting | blocked | 554 Refused. Your reverse DNS entry contains your IP address and a country code.
Coremail | rcpt | mailbox_not_found | 550 #2175041 unavailable mail user
Coremail | rcpt | mailbox_not_found | 550 RC:LD The email account that you tried to reach does no exists.
Coremail | rcpt | mailbox_not_found | 551 5.1.1 recipient is not exist
Coremail | rcpt | mailbox_not_found | 550 Local User [xxx@123.com] not found.
Coremail | rcpt | mailbox_not_found | 550 5.1.1 recipient rejected
Coremail | rcpt | mailbox_not_found | 552 "RCPT TO" mailbox unavailable
Coremail | rcpt | mailbox_not_found | 550 local server don't exists that user
Coremail | rcpt | mailbox_not_found | 550 not user of this server
Coremail | rcpt | mailbox_not_found | 550 recipient does not have an account
Coremail | rcpt | other | 550 rcpt is rejected
Coremail | mail | policy | 553 Requested action not taken: NULL sender is not allowed
Coremail | mail | blocked | 554 IP is rejected
Coremail | rcpt | mailbox_disabled | 550 This account has been temporarily suspended
Coremail | rcpt | mailbox_disabled | 550 user is locked.
Coremail | greeting | blocked | 550 black ip.
Coremail | mail | blocked | 554 rbl deny.
Coremail | end-of-data | content | 552 message rejected by anti-spam engine.
Coremail | end-of-data | size | 552 message is too long.
Coremail | end-of-data | other | 552 looping message.
Coremail | mail | policy | 552 mail from invalid.
Coremail | rcpt | policy | 553 host denies relay.
bytecamp | rcpt | mailbox_full | 422 4.2.2 Quota limit exceeded (Speicherplatz des Kontos ueberschritten)
bytecamp | end-of-data | content | 571 5.7.1 message classified as spam (Nachricht als Spam eingestuft)
Onesystems | rcpt | mailbox_not_found | 554 5.7.1 <bob@example.ch>: Recipient address rejected: User unknown
Interoute | rcpt | policy | 451 4.7.1 Your IP address does not resolve to an existing hostname - no proper reverse mapping exists - see http://emailpolicy.interoute-deutschland.de/
rspamd | end-of-data | ~rate_limited | 451 4.7.1 Try again later
cPanel | rcpt | policy | 550-Verification failed for <user@example.com> 550-No Such User Here 550 Sender verify failed
cPanel | rcpt | mailbox_not_found | 550 No Such User Here
cPanel | rcpt | blocked | 550 "JunkMail rejected - ec2-54-74-157-229.eu-west-1.compute.amazonaws.com (allid.com.sg) [54.74.157.229]:34032 is in an RBL, see https://www.spamhaus.org/query/ip/54.74.157.229"
Postfix | rcpt | blocked | 550 ip in prison
Postfix | rcpt | mailbox_disabled | 550 5.7.1 <bob@example.com>: Recipient address rejected: Inactive MailBox, not poped for more than 6 months
Postfix | rcpt | policy | 554 5.7.1 <a@example.com>: Sender address rejected: Dumb.
Symantec | end-of-data | policy | 550 Your message was rejected by this user and was not delivered
Mail.ru | rcpt | mailbox_not_found | 550 5.1.1 Пользователь не найден
Terra | rcpt | mailbox_not_found | 550 5.1.1 La dirección de correo no existe
Aruba | rcpt | mailbox_not_found | 550 5.1.1 Indirizzo e-mail inesistente
Aliyun | rcpt | mailbox_not_found | 553 该收件人邮箱不存在
Strato | rcpt | mailbox_not_found | 550 5.1.1 Benutzer unbekannt / Adresse existiert nicht
Ziggo | rcpt | mailbox_not_found | 550 Onbekende ontvanger
Bell | rcpt | mailbox_not_found | 550 5.1.1 Destinataire inconnu ou boîte fermée
amavis | end-of-data | content | 554 5.7.0 Reject, id=20025-09 - SPAM
Amazon SES | rcpt | policy | 550 5.7.6 Failed to delivery
Mailhostbox | rcpt | blocked | 521 5.7.1 Service unavailable; client [192.0.2.1] blocked using dnsbl.sorbs.net Please see http://support.mailhostbox.com/email-administrators-guide-error-codes/ for explanation of the problem.
Postfix | rcpt | blocked | 554 5.7.1 <a8-95.smtp-out.example.com[192.0.2.1]>: Client host rejected: blocked using mail.neko.example.org; Please see http://mail.neko.example.org/rbl/?ip=192.0.2.1 to send.
Amazon SES | end-of-data | expired | 554 4.4.7 Message expired: unable to deliver in 840 minutes.<421 4.4.2 Connection timed out>
Amazon SES | rcpt | domain_invalid | 550 5.4.4 Invalid domain
Postfix | rcpt | mailbox_disabled | 550 5.7.1 <bob@example.com>: Recipient address rejected: User bob@example.com temporary locked. Please try again later!
Barracuda | end-of-data | content | 550 5.7.1 Message content rejected, UBE, id=00000-22-225
Courier | end-of-data | policy | 550 5.7.1 can't determine Purported Responsible Address
Exchange | end-of-data | mailbox_full | 550 5.2.2 STOREDRV.Deliver: mailbox full. The following information should help identify the cause: "MapiExceptionShutoffQuotaExceeded:00.00000:FF000000"
Exchange | end-of-data | size | 550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient
Exchange | end-of-data | expired | 550 4.4.7 QUEUE.Expired; message expired
Exim | mail | auth | 550 Bad SPF records for [example.org:192.0.2.1], see http://spf.pobox.com/
AT&T | mail | policy | 550 5.7.1 Connections not accepted from servers without a valid sender domain. Fix reverse DNS for 192.0.2.1
Facebook | rcpt | policy | 550 5.1.1 RCP-P2 http://postmaster.facebook.com/response_codes?ip=192.0.2.1#rcp Refused due to recipient preferences
McAfee | rcpt | mailbox_not_found | 550 <bob@example.co.jp>... User not exist
Sun Messaging | rcpt | mailbox_full | 522 5.2.0 Delivery failed: Over quota
GoDaddy | mail | auth | 550 5.1.0 192.0.2.1 is not allowed to send from <example.net> per it's SPF Record. Please inspect your SPF settings, and try again. IB508 <http://x.co/srbounce>
Microsoft 365 | end-of-data | expired | 550 5.4.312 Message expired, DNS query failed
Microsoft 365 | end-of-data | mailbox_not_found | 550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 <bob@ezweb.ne.jp>: User unknown
Outlook.com | rcpt | mailbox_full | 550 5.2.2 <bob@example.jp>... Mailbox Full
Outlook.com | end-of-data | domain_invalid | 554 The mail could not be delivered to the recipient because the domain is not reachable. Please check the domain and try again (-1915321397:308:-2147467259)
NetEase | mail | policy | 550 domain [example.com] mismatches client ip 192.0.2.1.
Sendmail | rcpt | rate_limited | 452 4.3.2 Connection rate limit exceeded.
Gmail | end-of-data | content | 550 5.7.1 [192.0.2.1 13] Messages with multiple addresses in From: header are not accepted. v14si1155795plk.134 - gsmtp
Postfix | rcpt | other | 451 Could not load DRD for domain (example.com) rcpt (bob@example.com)
Postfix | rcpt | policy | 550 Denied by policy
au one | rcpt | mailbox_not_found | 550 <bob@ne.auone-net.jp>: Recipient address rejected.
generic | rcpt | other | 554 Transaction failed
generic | rcpt | rate_limited | 552 Too many recipients
generic | end-of-data | policy | 550 5.7.0 Local Policy Violation
generic | end-of-data | protocol | 504 Command parameter not implemented
generic | rcpt | policy | 550 5.7.1 Access denied
Gmail | end-of-data | blocked | 550 5.7.1 [192.0.2.1 18] Our system has detected that this message is likely suspicious due to the very low reputation of the sending IP address. To best protect our users from spam, the message has been blocked.
GMX | greeting | blocked | 554 mail.com (mxgmxus002) Nemesis ESMTP Service not available No SMTP service Bad DNS PTR resource record. For explanation visit http://postmaster.gmx.com/en/error-messages?ip=192.0.2.1&c=rdns
generic | end-of-data | content | 550 Virus Detected; Content Rejected
Dovecot | end-of-data | mailbox_full | 552 5.2.2 <bob@example.org> Quota exceeded (mailbox for user is full)
generic | mail | auth | 550 Unauthenticated senders not allowed
Yahoo Japan | end-of-data | policy | 554 Message not allowed - DM Email not accepted for policy reasons. Please visit https://www.yahoo-help.jp/app/answers/detail/a_id/80870/p/622 [895]
Mail.ru | end-of-data | auth | 550 5.7.1 This message was not accepted due to domain (libsisimai.org) owner DMARC policy (RFC 7489) https://help.mail.ru/mail-help/postmaster/dmarc
Amazon SES | end-of-data | policy | 554 Message rejected: Email address is not verified. The following identities failed the check in region AP-NORTHEAST-1: bob@example.jp
generic | end-of-data | content | 554 Transaction failed: Duplicate header 'DKIM-Signature'.
Ziggo | mail | blocked | 550 5.1.0 MXIN506 MailFrom domain is listed in Spamhaus. To request removal from this list see https://www.spamhaus.org/query/lookup/ ;id=DLOkvMxsVeZoo
Amazon SES | rcpt | mailbox_not_found | 550 5.1.1 Mailbox does not exist
Amazon SES | rcpt | other | 450 4.0.0 Temporary failure
Amazon SES | end-of-data | size | 552 5.3.4 Message too large
Amazon SES | end-of-data | content | 500 5.6.1 Message content rejected
Amazon SES | end-of-data | content | 550 5.2.0 Message Filtered
Amazon SES | end-of-data | size | 552 5.2.3 Message length exceeds limit set by recipient
generic | end-of-data | content | 550 5.6.9 improper use of 8-bit data in message header
Sendmail | rcpt | policy | 450 4.7.1 Access denied. IP name lookup failed [192.0.2.1]
Sendmail | end-of-data | content | 554 5.7.9 Header error
Postfix | rcpt | blocked | 450 4.7.1 <c135.kyoto.example.ne.jp[192.0.2.1]>: Client host rejected: may not be mail exchanger
generic | rcpt | mailbox_not_found | 551 not our user
generic | rcpt | mailbox_not_found | 551 not our customer
generic | rcpt | blocked | 550 5.7.1 IP address blacklisted by recipient
generic | rcpt | mailbox_disabled | 525 5.7.13 Disabled recipient address
generic | rcpt | other | 452 4.4.5 Insufficient disk space; try again later
Sendmail | rcpt | other | 553 5.3.5 system config error
generic | end-of-data | content | 552 5.6.0 Headers too large (3 max)
La Poste | rcpt | mailbox_not_found | 550 5.5.0 Adresse destinataire invalide. Invalid recipient. LPN007_416
iCloud | greeting | blocked | 554 st11p00im-smtpin013.me.com ESMTP not accepting connections
generic | rcpt | domain_invalid | 550 Host does not accept mail
cPanel | rcpt | auth | 550 Please turn on SMTP Authentication in your mail client.
surfcontrol | rcpt | other | 554 Service currently unavailable
make | rcpt | domain_invalid | 550 Host unknown
docomo | end-of-data | mailbox_full | 552 Too much mail data recipient-mailbox-is-full@docomo.ne.jp
generic | end-of-data | size | 552 Message size exceeds maximum value
qmail | rcpt | policy | 553 sorry, your envelope recipient is in my badrcptto list (#5.7.1)
generic | mail | policy | 554 Mail from nekonyaan@example.net rejected for policy reasons.
generic | rcpt | protocol | 503 Improper sequence of commands
generic | rcpt | mailbox_not_found | 550 'kijitora@nyaan.example.com' is not a registered gateway user
generic | rcpt | network | 426 connection timed out
generic | end-of-data | other | 451 4.3.0 This message could not be delivered due to a recipient error. Please try again later.
iCloud | rcpt | mailbox_not_found | 550 5.1.6 recipient no longer on server: bob@example.jp
iCloud | rcpt | mailbox_not_found | 550 5.1.1 <bob@privaterelay.appleid.com>: user not found
Cloudflare | end-of-data | other | 421 4.3.0 Upstream error, please check https://developers.cloudflare.com/email-routing/postmaster for possible reasons why. RsrUEMk60942
Cox | mail | policy | 550 5.1.0 <bounce@mailer.cnt1.example.com> sender rejected. Refer to Error Codes section at https://www.cox.com/residential/support/email-error-codes.html for more information. AUP#CDRBL
Facebook | rcpt | mailbox_not_found | 550 5.1.1 RCP-P1 http://postmaster.facebook.com/response_codes?ip=192.0.2.1#rcp Recipient address does not exist
La Poste | rcpt | mailbox_disabled | 550 5.5.0 Le compte du destinataire est bloque. The recipient account is blocked. LPN007_426
Orange | greeting | rate_limited | 421 mwinf5c77 ME Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR_999 [999]
La Poste | mail | policy | 550 5.5.0 Service refuse. Veuillez essayer plus tard. service refused, please try later. LPN001_108
La Poste | rcpt | blocked | 554 5.7.1 <xxxx.xxxx.net[192.0.2.1]:49309>: Client host rejected: #216 lpn LPN000_630
GoDaddy | rcpt | blocked | 553 http://www.spamhaus.org/query/bl?ip=192.0.2.1
GoDaddy | rcpt | rate_limited | 550 5.1.1 <bob@example.com> - 192.0.2.1 has sent to too many recipients this hour. IB607 <http://x.co/rlbounce>
Gmail | end-of-data | auth | 550 5.7.26 The MAIL FROM domain [mail4.example.com] has an SPF record with a hard fail policy (-all) but it fails to pass SPF checks with the ip: [192.0.2.1]. To best protect our users from spam and phishing, the message has been blocked.
Gmail | end-of-data | content | 550 5.7.1 This message is not RFC 5322 compliant. There are multiple Subject headers. To reduce the amount of spam sent to Gmail, this message has been blocked. Please visit https://support.google.com/mail/?p=RfcMessageNonCompliant
Google Workspace | rcpt | policy | 501 5.1.8 Sender address rejected
i.ua | rcpt | mailbox_disabled | 550 Mailbox is frozen. See http://mail.i.ua/err/3/
Symantec | rcpt | other | 542 bob@example.com Rejected
Mimecast | greeting | blocked | 554 Host network not allowed - https://community.mimecast.com/docs/DOC-1369#554 [z7qZw5BPd1zlDYHka4589ru.us222]
Mimecast | end-of-data | content | 554 email rejected due to security policies - MCSpamSignature.sa.2.2
docomo | rcpt | mailbox_not_found | 550 Unknown user bob@docomo.ne.jp
Spectrum | mail | policy | 550 5.1.0 <a@amazonses.com> sender rejected. Please see https://www.spectrum.net/support/internet/understanding-email-error-codes for more information. AUP#In-1310
QQ | end-of-data | rate_limited | 550 Ip frequency limited [V2VkIEFwciAgMyAx Blocked IP 192.0.2.1]. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000725
QQ | end-of-data | rate_limited | 550 Connection frequency limited [Q1YzZ3kxdnRYYn Blocked IP 192.0.2.1]. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000722
Zoho | rcpt | mailbox_not_found | 550 5.1.1 User does not exist - <bob@zoho.example.com>
Zoho | end-of-data | policy | 554 5.7.7 Email policy violation detected
Zoho | rcpt | policy | 541 5.4.1 Mail rejected by destination domain
DragonFly | rcpt | auth | 550 5.7.26 <bob@example.net>: Recipient address rejected: Multiple authentication checks failed
DragonFly | rcpt | policy | 550 5.7.25 <bob@example.net>: Recipient address rejected: Reverse DNS validation failed
DragonFly | end-of-data | content | 550 5.6.0 <bob@example.net>: Recipient address rejected: Media error
DragonFly | end-of-data | size | 552 5.2.3 <bob@example.net>: Recipient address rejected: Message length exceeds administrative limit.
DragonFly | rcpt | mailbox_disabled | 550 5.1.6 <bob@example.net>: Recipient address rejected: Destination mailbox has moved, No forwarding address.
DragonFly | rcpt | domain_invalid | 550 5.1.2 <bob@example.net>: Recipient address rejected: Bad destination system address.
DragonFly | rcpt | other | 554 5.3.0 <bob@example.net>: Recipient address rejected: Mailer error.
DragonFly | end-of-data | size | 554 5.3.4 <bob@example.net>: Recipient address rejected: Message too big for system.
DragonFly | rcpt | policy | 550 5.7.0 <bob@example.net>: Recipient address rejected: No relaying.
DragonFly | rcpt | policy | 551 5.7.1 <bob@example.net>: Recipient address rejected: Delivery not authorized.
DragonFly | rcpt | mailbox_disabled | 525 5.7.13 <bob@example.net>: Recipient address rejected: User account disabled.
DragonFly | rcpt | mailbox_not_found | 501 5.1.3 <bob@example.net>: Recipient address rejected: Bad destination mailbox address syntax.
DragonFly | rcpt | other | 554 5.3.0 <bob@example.net>: Recipient address rejected: Internal system error.
DragonFly | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.net>: Recipient address rejected: User unknown. See https://example.org/en/reason/#userunknown
Exim | rcpt | policy | 571 No PTR Record found. Reverse DNS required: rejected
Exim | rcpt | policy | 550 Access denied...7d39d5299584f4be161127e61f5f5400...
Exim | mail | policy | 553 neko.example.com does not exist
Exim | end-of-data | policy | 550 Your message was rejected by this system and was not delivered.
Exim | mail | policy | 554 5.7.1 [C14] Missing reverse DNS for 192.0.2.1
Exim | rcpt | blocked | 550 192.0.2.1 blocked by ldap:ou=nekochan,dc=example,dc=net
Exim | rcpt | policy | 550 5.1.7 No such domain neko.example.com.
Outlook.com | mail | blocked | 550 SC-004 (COL0-MC1-F1) Unfortunately, messages from 192.0.2.1 weren't sent. We recommend that you contact your Internet service provider. The problem is that too many unwanted messages have been sent from the following
Gmail | starttls | tls | 500 Remote server does not support TLS (state 6).
IMail | end-of-data | blocked | 550 REJECTED - Blacklisted URL in message. (example.com) in [black]. See http://lookup.uribl.com.
qmail | mail | policy | 501 5.0.0 Invalid domain name
qmail | rcpt | mailbox_full | 552 Error: disk quota exceeded
Sendmail | end-of-data | content | 501 5.6.0 Data format error
Sendmail | rcpt | other | 550 5.0.0 <bob@example.or.jp>... Insufficient permission
Sendmail | rcpt | other | 554 5.3.0 unknown mailer error 255
Sendmail | rcpt | domain_invalid | 550 5.1.2 <bob@example.org>... Host unknown (Name server: smtp24.example.org: no data known)
Sendmail | rcpt | other | 450 busy - please try later
Sendmail | data | protocol | 503 Valid RCPT command must precede DATA
La Poste | rcpt | rate_limited | 421 4.7.0 lpn-prd-vrin012 Error: too many errors
Sendmail | rcpt | other | 451 4.0.0 Operating system error
iCloud | greeting | blocked | 554 mr28p00im-smtpin040.me.com ESMTP not accepting connections
Sendmail | rcpt | mailbox_not_found | 550 Requested User Mailbox not found. No such user here.
Sendmail | rcpt | network | 421 example.com (smtp)... Deferred: Connection timed out during user open with example.com
Sendmail | rcpt | domain_invalid | 554 <kuroneko@example.or.jp>... 550 Host unknown (Authoritative answer from name server)
Sendmail | rcpt | policy | 550 Insecure Mail Relay
Sendmail | rcpt | policy | 501 <bob@example.co.jp>... no access from mail server [192.0.2.1] which is an open relay.
Yahoo | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.org>... User Unknown [RCPT_TO]
Yahoo | rcpt | mailbox_full | 552 5.2.2 <bob@example.ed.jp>... Mailbox Full [RCPT_TO]
Yahoo Japan | mail | blocked | 554 INVALID IP FOR SENDING MAIL OF DOMAIN amazonses.com
Google | rcpt | protocol | 503 5.5.1 RCPT first. A mail transaction protocol command was issued out of sequence. For more information, go to https://support.google.com/a/answer/3221692 and review RFC 5321 specifications. - gsmtp
Symantec | rcpt | policy | 550 mail0.bemta0.messagelabs.com [192.0.2.1]:22222 is not permitted to relay through this server without authentication.
qmail | rcpt | mailbox_not_found | 550 sorry, that recipient doesn't exist (#5.7.1)
NetEase | rcpt | mailbox_not_found | 550 bob@yourdomain.com:user not exist
generic | rcpt | mailbox_full | 552 recipient storage full, try again later
generic | rcpt | mailbox_full | 552 Requested mailbox exceeds quota.
X-HERMES | end-of-data | mailbox_full | 551 bounce as<the destination mailbox <bob@yourdomain.com> is full> queue as 100.1.ZmxEL.720k.1140313037
qmail | rcpt | rate_limited | 550 sorry, too many bounce recipients (#5.7.1)
Gmail | end-of-data | blocked | 550 5.7.1 [192.0.2.88] The IP you're using to send email is not authorized to send email directly to our servers. Please use the SMTP relay at your service provider instead.
qmail | rcpt | mailbox_full | 550 sorry, user over quota (#5.1.1)
aiosmtpd | rcpt | mailbox_not_found | 550 5.1.1 Invalid mailbox
aiosmtpd | rcpt | mailbox_not_found | 550 5.1.1 Recipient rejected
gov.br | rcpt | mailbox_not_found | 550 5.1.1 Recipient rejeitado: bob@orgao.gov.br não existe
chkuser | rcpt | mailbox_full | 552 5.1.1 5.2.2 sorry, final recipient mailbox is full (chkuser)
Umail | rcpt | mailbox_not_found | 550 no such user here (umail mta)
Postfix | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com>: Recipient address rejected: undeliverable address: unknown user: "bob@example.com"
generic | rcpt | mailbox_not_found | 550 abcd:user not exist
TOM | rcpt | mailbox_not_found | 550 RC:NE The email account does not exist.
web.de | rcpt | mailbox_not_found | 550 Benutzer nicht bekannt/User unknown
web.de | rcpt | mailbox_full | 550 Benutzer hat das Speichervolumen ueberschritten. / User has exhausted allowed storage space.
Sun Messaging | rcpt | mailbox_full | 500 5.0.0 Depot returns error: <552 5.2.2 Over quota>
GMX | rcpt | mailbox_disabled | 550 5.2.1 <bob@gmx.de>... User is inactive
Strato | rcpt | mailbox_not_found | 550 recipient e-mail adress unknown
Korea Telecom | rcpt | mailbox_disabled | 550 5.1.1 Inactive mbox
Korea Telecom | rcpt | mailbox_disabled | 550 5.1.1 Suspended user
Hiworks | rcpt | mailbox_not_found | 550 5.1.1 RUSR 192.0.2.1: No such user: <bob@example.com>
Seznam | rcpt | mailbox_not_found | 550 5.1.1 szn; User hasn't got the service mapped
Interia | rcpt | mailbox_disabled | 550 5.2.1 Mailbox not available
Barracuda | rcpt | mailbox_not_found | 550 cuda_nsu 5.1.1 <bob@example.com> Recipient address rejected: User unknown
Mail.ru | end-of-data | mailbox_disabled | 550 Message was not accepted -- invalid mailbox. Local mailbox bob@mail.ru is unavailable: user is terminated
GoDaddy | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com> recipient rejected. This is a default recipient used as a placeholder in many web applications. Please check your settings and try again.
Cox | rcpt | mailbox_not_found | 550 5.1.1 <bob@cox.net> invalid recipient - Refer to Error Codes section at http://postmaster.cox.net/confluence/display/postmaster/Error+Codes for more information.
NetZero | rcpt | mailbox_not_found | 550 bob@netzero.net is not a valid user
Tarassul | rcpt | mailbox_not_found | 550 User <bob> unknown
EarthLink | rcpt | mailbox_full | 550 bob@earthlink.net...User account is overquota
AT&T | rcpt | mailbox_not_found | 553 5.3.0 <bob@worldnet.att.net>... 550 worldnet addressee unknown, relay=[192.0.2.1]
Hostinger | rcpt | mailbox_not_found | 557 Email address - bob@example.com - is not available here. Disconnecting...
Google Apps relay | rcpt | mailbox_not_found | 550 Invalid recipient: bob.ferry
Haraka | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com>: Recipient address rejected: undeliverable address: host 192.0.2.9[192.0.2.9] said: 550 sorry, no mailbox here by that name (in reply to RCPT TO command)
Yahoo | rcpt | mailbox_not_found | 554 delivery error: dd Not a valid recipient - atlas315.free.mail.ne1.yahoo.com
generic | rcpt | mailbox_not_found | 550 5.1.1 Mail Refused - Address <bob@example.com> Recipient Unknown
generic | rcpt | mailbox_not_found | 450 user path no exist
qmail | rcpt | mailbox_not_found | 554 qq Sorry, no valid recipients (#5.1.3)
generic | rcpt | other | 450 mailbox unavailable.
generic | rcpt | mailbox_disabled | 550 user disabled
Sun Messaging | rcpt | mailbox_disabled | 452 4.2.1 mailbox temporarily disabled: bob@example.com
generic | rcpt | mailbox_not_found | 550 Mailbox ( bob@example.com ) not found or inactivated
generic | rcpt | mailbox_disabled | 551 <bob@example.com> is a deactivated mailbox
21cn | rcpt | mailbox_disabled | 550 <bob> is now disabled with MTA service.
generic | rcpt | mailbox_not_found | 540 Error: Wrong recipients
generic | rcpt | mailbox_not_found | 550 Command RCPT User <bob@example.com> not OK
Merak | rcpt | mailbox_not_found | 550 User not a member of domain: <bob@example.com>
cPanel | rcpt | mailbox_not_found | 550-"The recipient cannot be verified. Please check all recipients of this message to verify they are valid."
generic | rcpt | mailbox_not_found | 550-I'm sorry but bob@example.com does not have an account here. I will not accept this message.
generic | rcpt | mailbox_disabled | 550 <bob@example.com>: inactive user
generic | rcpt | mailbox_disabled | 550 bob@example.com Account Inactive
generic | rcpt | mailbox_disabled | 550 <bob@example.com>: Recipient address rejected: Account closed due to inactivity. No forwarding information is available.
generic | rcpt | mailbox_disabled | 550 <bob@example.com>... User account not activated
generic | rcpt | mailbox_disabled | 550 account expired
Sendmail | rcpt | mailbox_not_found | 553 5.3.0 <bob@example.com>... Recipient address no longer exists
generic | rcpt | mailbox_disabled | 550 <bob@example.com>: User status is locked.
eYou | rcpt | mailbox_disabled | 553 user is inactive (eyou mta)
qmail | rcpt | mailbox_not_found | 553 Sorry, can't find user's mailbox. (#5.1.1)
vpopmail | rcpt | mailbox_not_found | 550 Sorry, no mailbox here by that name. vpopmail (#5.1.1)
Exim | rcpt | mailbox_not_found | 550 unknown local-part "bob" in domain "example.com"
qmail | rcpt | mailbox_full | 552 The users mailfolder is over the allowed quota (size). (#5.2.2)
263 | rcpt | mailbox_full | 552 User disk quota exceeded. (#4.3.0)
generic | rcpt | mailbox_full | 552 This account is over quota and unable to receive mail.
Libero | rcpt | mailbox_not_found | 550 RCPT TO:<bob@libero.it> destin. Sconosciuto
Aruba | rcpt | mailbox_not_found | 550 Destinatario sconosciuto o mailbox disatttivata
Tiscali | rcpt | mailbox_not_found | 550 Destinatario errato
Italia Online | rcpt | mailbox_not_found | 550 5.1.1 Indirizzo inesistente
generic | rcpt | mailbox_not_found | 550 Nessun utente simile in questo indirizzo
generic | rcpt | mailbox_not_found | 550 No one with that email address here
generic | rcpt | mailbox_not_found | 550 No such mail drop defined
generic | rcpt | mailbox_not_found | 550 No such person at this address
generic | rcpt | mailbox_not_found | 550 server doesn't handle mail for that user
generic | rcpt | mailbox_not_found | 550 This email address is not known to this system
generic | rcpt | mailbox_not_found | 550 unknown address or alias: bob
generic | rcpt | mailbox_not_found | 550 5.1.1 User doesn't exist in this server
generic | rcpt | mailbox_not_found | 550 <bob@example.com> was not found in LDAP server
generic | rcpt | mailbox_not_found | 550 We are sorry but the address is invalid
generic | rcpt | mailbox_not_found | 550 Unable to find alias user
generic | rcpt | mailbox_disabled | 550 Esta casilla ha expirado por falta de uso
generic | rcpt | mailbox_disabled | 550 Old address no longer valid
generic | rcpt | mailbox_disabled | 550 Mailbox currently suspended
generic | rcpt | mailbox_disabled | 550 Adressat unbekannt oder Mailbox deaktiviert
generic | rcpt | mailbox_not_found | 550 Destinataire inconnu ou boite aux lettres desactivee
generic | rcpt | mailbox_disabled | 550 El usuario esta en estado: inactivo
generic | rcpt | mailbox_disabled | 550 Mailbox disabled for this recipient
generic | rcpt | mailbox_disabled | 550 Your mailbox has been blocked due to inactivity
generic | rcpt | mailbox_disabled | 550 Mailbox Locked or Suspended
WP | rcpt | mailbox_disabled | 550 Podane konto jest zablokowane administracyjnie lub nieaktywne
Libero | rcpt | mailbox_disabled | 550 Questo indirizzo e' bloccato per inutilizzo
Onet | rcpt | mailbox_not_found | 550 Nie ma takiego konta (no such account)
generic | rcpt | mailbox_not_found | 550 <bob@example.pl> nie istnieje
generic | rcpt | mailbox_not_found | 550 address not recognized
generic | rcpt | mailbox_not_found | 550 illegal user
generic | rcpt | mailbox_not_found | 550 no existe dicha persona
generic | rcpt | mailbox_not_found | 550 there is no one at this address
generic | rcpt | mailbox_disabled | 550 this email address is wrong or no longer valid
generic | rcpt | mailbox_not_found | 550 this recipient is not in my validrcptto list (#5.1.1)
generic | rcpt | mailbox_not_found | 550 5.1.1 utilisateur inconnu !
generic | rcpt | mailbox_not_found | 550 vdeliver: invalid or unknown virtual user
generic | rcpt | mailbox_not_found | 550 <bob@example.com> is not an active address at this host
generic | rcpt | mailbox_not_found | 550 5.1.1 recipient address rejected: userunknown
generic | rcpt | mailbox_not_found | 550 mailbox unavaiable
generic | rcpt | mailbox_not_found | 550 the user's email name is not found
generic | rcpt | mailbox_not_found | 550 5.1.1 recipient is not local
La Poste | rcpt | mailbox_disabled | 550 5.5.0 Boite du destinataire archivee. Archived recipient. LPN007_420
La Poste | rcpt | mailbox_disabled | 550 5.5.0 Le compte du destinataire est bloque. The recipient account isblocked. LPN007_426
La Poste | rcpt | mailbox_not_found | 550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. LPN416
Estonia | rcpt | mailbox_disabled | 550 5.2.1 <bob@example.ee> is expired account
Willcom | rcpt | mailbox_not_found | 550 not found recipient account
generic | rcpt | mailbox_disabled | 550 due to extended inactivity new mail is not currently being accepted for this mailbox.
generic | rcpt | mailbox_full | 550 Mailbox has exceeded its disk space limit
generic | rcpt | mailbox_full | 552 the user's space has been used up
generic | rcpt | mailbox_full | 552 recipient reached disk quota
generic | rcpt | mailbox_full | 450 4.2.2 mailfolder is full
generic | rcpt | mailbox_full | 452 4.2.2 mailbox exceeded the local limit
freenet | rcpt | ~rate_limited | 457 Greylisted, please come back later.
MDaemon | rcpt | ~rate_limited | 451 4.3.0 Greylisting in progress
SmarterMail | rcpt | ~rate_limited | 451 Greylisted, please try again in 900 seconds
greyfix | rcpt | ~rate_limited | 450 4.7.1 <bob@example.com>: Recipient address rejected: Greylisted by greyfix 0.4.0, try again in 30 seconds. See http://www.kim-minh.com/pub/greyfix/ for more information.
php.net | rcpt | ~rate_limited | 451 4.7.1 greylisting, please try again later
spam-mail-blocker | rcpt | ~rate_limited | 450 4.2.0 Sender address rejected: Greylisted for 60 sec.
policyd | rcpt | ~rate_limited | 450 4.7.1 : Client host rejected: Greylisted for 5 minutes
spamdyke | rcpt | ~rate_limited | 421 Your address has been graylisted. Try again later.
grey.rbl | rcpt | ~rate_limited | 421 4.7.1 Service unavailable; Client host [192.0.2.1] blocked using grey.rbl - Rechazo temporal, intentelo mas tarde por favor...Greylisting in action, please try again later
NetEase | rcpt | blocked | 450 Requested action not taken:c1mx2, IwENCgC3+s5MYEpYXlIcAA--.4588S3, dnsbl.sorbs.net, please try again
SORBS | rcpt | blocked | 454 4.7.1 Service unavailable; Client host [192.0.2.1] blocked using dnsbl.sorbs.net; Currently Sending Spam See: http://www.sorbs.net/lookup.shtml?192.0.2.1
SORBS | rcpt | blocked | 451 Currently Sending Spam See: http://www.sorbs.net/lookup.shtml?192.0.2.1
SORBS | rcpt | blocked | 501 5.7.1 <sender@example.com>... Sender refused by the DNSBL dnsbl.sorbs.net
SORBS | rcpt | blocked | 554 Connection from 192.0.2.1 rejected for policy reasons. Host found in DNS blacklist at dnsbl.sorbs.net
CMailPro | rcpt | blocked | 591 bob@example.com your host [192.0.2.1] is blacklisted by dnsbl.sorbs.net. Currently Sending Spam See: http://www.sorbs.net/lookup.shtml?192.0.2.1. Send your questions to blacklist-admin@mx01.example.net
Spamhaus | rcpt | blocked | 550 5.7.0 Your server IP address is in the SpamHaus SBL-XBL database, bye
Spamhaus | rcpt | blocked | 550 192.0.2.1 listed at spamhaus, see http://www.spamhaus.org
Spamhaus | rcpt | blocked | 554 Denied [SHXBL] - Denied by Spamhaus XBL - See http://www.spamhaus.org/query/bl?ip=192.0.2.1 (Mode: normal)
Spamhaus | rcpt | blocked | 554 5.7.1 You are sending spam (check http://www.spamhaus.org/query/bl?ip=192.0.2.1)
Spamhaus | rcpt | blocked | 550-IP 192.0.2.1 is blacklisted (xbl.spamhaus.org). Help at/Hilfe unter www.mfaq.info
Spamhaus | rcpt | blocked | 553 5.3.0 <bob@example.com>... Mail from 192.0.2.1 rejected,see http://www.spamhaus.org/lookup/
Spamhaus | rcpt | blocked | 550 5.7.1 This system is configured to reject mail from mta.example.com. Connecting host [192.0.2.1] is listed by the lookup site 'zen.spamhaus.org.'.
bizsmtp | rcpt | blocked | 554 mx.example.com bizsmtp IB105. Connection refused. 192.0.2.1 is listed on the Exploits Block List (XBL) <http://www.spamhaus.org/query/ip/192.0.2.1> Please visit http://www.spamhaus.org/xbl/ for more information.
ee | rcpt | blocked | 554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using ee.countries.nerd.dk; Your IP is in ee, rejected based on geographical location
uribl | rcpt | blocked | 554 5.7.1 Service unavailable; Sender address [user@example.com] blocked using dbl.spamhaus.org; https://www.spamhaus.org/query/domain/example.com
Estonia | rcpt | blocked | 550 5.7.1 --- SAATKE SEE TEADE OMA IT-MEHELE! --- TEIE server 192.0.2.1 on BLACKLISTIS dnsbl.sorbs.net, Sorbs blokeeris kirja! YOUR server 192.0.2.1 is in the blacklist dnsbl.sorbs.net, your message was blocked by Sorbs!
Terra | rcpt | blocked | 554 terra.com cmsmtp 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using cm-csi-v11; Cloudmark Poor Reputation Sender Blacklist http://csi.cloudmark.com/reset-request/?ip=192.0.2.1
Hornetsecurity | rcpt | blocked | 554 5.5.4 Your IP 192.0.2.1 address has a bad reputation. To unblock visit http://cloud-security.net/unblock?a=2906&b=bob@example.com&c=ann@example.org&d=6
AT&T | rcpt | blocked | 553 5.3.0 flph825 DNSBL:ATTRBL 521< 192.0.2.1 >_is_blocked.For assistance forward this email to abuse@example.com
generic | rcpt | blocked | 553 5.7.1 <mail.example.com[192.0.2.1]>: Client host rejected: Relaying denied - Your IP identified as spammer. Please contact 123
Mimecast | rcpt | blocked | 550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com/docs/DOC-1369#550 [vH7Ns8biNg-p6EfZ0QaVMQ.us149]
Mimecast | rcpt | auth | 550 Rejected by header based Anti-Spoofing policy: ann@example.com - https://community.mimecast.com/docs/DOC-1369#550 [_g67iKwmNreAb9PeazQFDQ.us227]
Invaluement | rcpt | blocked | 550 5.5.4 ETP208 Your IP 192.0.2.1 is listed by Invaluement. Please see http://www.invaluement.com/research/ if you feel this is in error
Hostkarma | rcpt | blocked | 550 Black listed at hostkarma http://ipadmin.junkemailfilter.com/remove.php?ip=192.0.2.1
GeoIP | rcpt | blocked | 550-"Email blocked by GeoIP spam filter. Listed by HOSTKARMA/JUNKEMAILFILTER. Country [IP], XX [192.0.2.1] - IntCode491003 - (example.com)"
spamrl | rcpt | blocked | 550 The sending IP (192.0.2.1) is listed on https://spamrl.com/. Please resolve this and retry.
cobion | rcpt | blocked | 550 5.7.1 192.0.2.1 listed at dnsbl.cobion.com
Sophos | rcpt | blocked | 550 Rejected due to DNSBL server response (dnsbl.cobion.com - 192.0.2.1)
Cisco | rcpt | policy | 550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.
generic | rcpt | blocked | 554 5.7.1 Rejected because Bad IP
generic | rcpt | blocked | 554 5.7.1 The recipient definitively does not want your mail. It will not be delivered but analyzed again. We may feed it to a spam blacklist.
Trend Micro | rcpt | blocked | 550 5.7.1 <bob@example.com>: Recipient address rejected: ERS-RBL.
websitewelcome | rcpt | blocked | 550 5.7.1 <gateway36.example.com[192.0.2.1]>: Client host rejected: Rejected : Phishing
Bell | rcpt | policy | 550 you are not allowed to send mail to <bob@sympatico.ca>
openspf | rcpt | auth | 550 5.7.1 <bob@example.com>: Recipient address rejected: Message rejected due to: SPF fail - not authorized. Please see http://www.openspf.net/Why?s=mfrom;id=ann@example.org;ip=192.0.2.1;r=bob@example.com
cPanel | rcpt | auth | 550 SPF: 192.0.2.1 is not allowed to send mail from example.org
WP | rcpt | auth | 550 BLAD SPF - zobacz strone / SPF Error: Please see http://spf.pobox.com/why.html?sender=YOU%40wp.pl&ip=192.0.2.1&receiver=smtp.wp.pl
Symantec | rcpt | auth | 553 SPF (Sender Policy Framework) domain authentication;fail. Refer to the Troubleshooting page at;http://www.symanteccloud.com/troubleshooting for more;information. (#5.7.1)
Interia | rcpt | auth | 550 5.7.0 [SPF] host (192.0.2.1) is not allowed to send mail from domain
Interia | rcpt | policy | 550 5.7.1 Recipient doesn't want your mail
grhosting | rcpt | blocked | 550 5.1.1 <ann@example.org> sender is blacklisted
grhosting | rcpt | auth | 550 5.1.0 0bcW1i00G0jifNx01bcmHa blocked by SPF
Wedos | rcpt | policy | 550 5.7.1 <ann@example.org>: Sender address rejected: mailbox disabled - DEBUG: dom example.org
infradead | rcpt | policy | 550-Verification failed for <ann@example.org> 550-Called: 192.0.2.1 550-Sent: RCPT TO:<ann@example.org> 550-Response: 550 5.1.1 <ann@example.org>: Recipient address rejected: User unknown in local recipient table 550 Sender verify failed
CCC | rcpt | policy | 550 5.1.7 <ann@example.org>: Sender address rejected: undeliverable address: host mx.example.org[192.0.2.1] said: 550 <ann@example.org> recipient rejected (in reply to RCPT TO command)
notlimited | rcpt | policy | 550 <ann@example.org>, Sender unknown
Postfix | rcpt | ~rate_limited | 450 4.1.7 <ann@example.org>: Sender address rejected: unverified address: host mx.example.org[192.0.2.1] said: 457 Greylisted, please come back later. (in reply to RCPT TO command)
Postfix | rcpt | other | 421 4.1.1 <bob@example.com>: Recipient address rejected: unverified address: host mx.example.com[192.0.2.9] said: 450 4.1.1 <bob@example.com>: Recipient address rejected: unverified address: lost connection with mail.example.com[192.0.2.9] while sending RCPT TO
Talos | rcpt | blocked | 554 your access to this mail system has been rejected due to the sending MTA poor reputation. If you believe that this failure is in error please contact the intended recipient via alternate means.
BT | rcpt | blocked | 550 Message rejected due to sender IP reputation ([192.0.2.1])
QQ | rcpt | blocked | 550 Suspected spam ip [MRz7Bw0KCQoKDAoL IP: 192.0.2.1]. https://service.mail.qq.com/detail/122/66
QQ | rcpt | blocked | 550 Suspected bounce attacks [IP: 192.0.2.1] https://service.mail.qq.com/detail/122/57
QQ | rcpt | rate_limited | 550 Ip frequency limited [IP: 192.0.2.1]. https://service.mail.qq.com/detail/122/172
QQ | rcpt | rate_limited | 550 Domain frequency limited [IP: 192.0.2.1]. https://service.mail.qq.com/detail/122/173
QQ | rcpt | rate_limited | 550 Connection frequency limited https://service.mail.qq.com/detail/122/175
Coremail | rcpt | blocked | 550 Requested mail action not taken: Invalid IP
Coremail | rcpt | policy | 550 Requested mail action not taken: Fake sender
Coremail | rcpt | policy | 550 Requested action not taken: Local user only
Coremail | rcpt | policy | 550 Local user only or Authentication mechanism
Coremail | rcpt | policy | 554 sender is rejected: 0,mx20,wKjR5bDrnoM2yNtEZVAkBg==.32467S2
Coremail | rcpt | blocked | 550 User in blacklist
NetEase | rcpt | blocked | 421 HL:REP 163 smtp10, DcCowEBpGUuEyUpYXlIcAA--.4588S3 192.0.2.1 1480000000
NetEase | rcpt | rate_limited | 421 HL:ICC 163 mx12,TcCowECZ3ZxX8mNXkgyQAg--.3421S2 1466167895 http://mail.163.com/help/help_spam_16.htm?ip=192.0.2.1
sina | rcpt | policy | 553 host denies the sender.
sina | rcpt | policy | 554 sender is unvalidated.
sina | rcpt | blocked | 556 remote ip check error.
Naver | rcpt | blocked | 550 You are registered as spammer (by user's reject list)
Naver | rcpt | blocked | 421 4.3.2 Your IP(192.0.2.1) is filtered and this connection will be closed. You must register your IP to http://realip.naver.com
Naver | rcpt | rate_limited | 421 4.3.1 You send too many messages.
Paran | rcpt | blocked | 550 Transaction failed. (SPAM_SUSPECT:IP_CONTROL) (http://cleanip.paran.com)
Nate | rcpt | rate_limited | 550 5.7.1 <ann@example.org>... Error.your access was denied. Since you sent too many e-mails,you are not allowed to send more e-mails within 24 hours.
Daum | rcpt | blocked | 554 5.7.1 DAS51 192.0.2.1: Your mail is blocked automatically by anti-spam system. (E06)
Korea | rcpt | rate_limited | 421 4.4.5 CCRT 192.0.2.1: Connection refused. Server is busy(RT)
hanafos | rcpt | policy | 501 Denied domain name
Orange | rcpt | auth | 421 smtp.orange.fr [192.0.2.1] Emetteur invalide, Veuillez verifier la configuration SPF/DNS de votre nom de domaine. Invalid Sender. SPF check failed, please verify the SPF/DNS configuration for your domain name.
La Poste | rcpt | blocked | 550 5.5.0 Les emails envoyes vers la messagerie Laposte.net ont ete bloques par nos services. Afin de regulariser votre situation, nous vous invitons a cliquer sur le lien ci-dessous et a suivre la procedure. LPN007_102
La Poste | rcpt | auth | 550 5.5.0 SPF: ann@example.org is not allowed to send mail. LPN004_401
La Poste | rcpt | blocked | 554 5.7.1 Client host rejected LPN000_630
SFR | rcpt | blocked | 554 5.7.1 <mail.example.org[192.0.2.1]>: Client host rejected: Abus detecte GU_EIB_02
SFR | rcpt | rate_limited | 450 4.7.1 <mail.example.org[192.0.2.1]>: Client host rejected: SFR_IN_101 Service refused due to bad behavior - Too many spam messages
GoDaddy | rcpt | policy | 550 ann@example.org Blank From: addresses are not allowed. Provide a valid From. IB501
GoDaddy | rcpt | policy | 550 example.org From: Domain is invalid. Provide a valid From: IB506
GoDaddy | rcpt | auth | 550 ann@example.org Invalid SPF record. Inspect your SPF settings, and try again. IB508
GoDaddy | rcpt | policy | 421 Temporarily rejected. Reverse DNS for this IP failed. IB108
Rackspace | rcpt | rate_limited | 450 4.2.1 <bob@example.com>: Mailbox received too much email in a short period of time (G30)
Rackspace | rcpt | rate_limited | 451 4.7.1 Received too many messages from a new or untrusted IP (G28)
Rackspace | rcpt | other | 450 4.4.1 <bob@example.com>: The recipient's server was temporarily unavailable to accept your message (G6)
Zoho | rcpt | policy | 552 5.1.1 <bob@zoho.com> Mailbox delivery failure policy error
Vade | rcpt | blocked | 554 5.7.1 <bob@example.com>: Recipient address rejected: BLOCK-RCPT.
1&1 | rcpt | blocked | 554-kundenserver.de (mxeue004) Nemesis ESMTP Service not available 554-No SMTP service 554-IP address is black listed. 554 For explanation visit http://postmaster.1and1.com/en/error-messages?ip=192.0.2.1&c=bip
umd | rcpt | blocked | 550 Sorry, no access for this ip
umd | rcpt | policy | 553 <bob@example.com> ... unauthorized relay traffic prohibited
umd | rcpt | policy | 451 From:domain must resolve
UK | rcpt | policy | 550 R1: HELO should be a FQDN or address literal (See RFC 2821 4.1.1.1)
Broadcom | rcpt | blocked | 550 5.7.1 Rejecting mail, 192.0.2.1 is blacklisted
Broadcom | rcpt | blocked | 551 Sender is on domain's blacklist
Baruwa | rcpt | blocked | 550 Dictionary attack detected
Baruwa | rcpt | policy | 550 Sender verification failed
Baruwa | rcpt | blocked | 550 The sender is in a black list rbl.baruwa.net
Spectrum | rcpt | blocked | 421 cmsmtp 192.0.2.1 blocked. AUP#In-1370
Spectrum | rcpt | policy | 550 5.1.0 sender rejected. AUP#In-1310
Ziggo | rcpt | blocked | 550 5.1.0 MXIN506 MailFrom domain is listed in Spamhaus. To request removal from this list see https://www.spamhaus.org/query/lookup/ ;id=DLOkvMxsVeZooDLOkv7hl0;sid=DLOkvMxsVeZoo;mta=mx12-prd-nl1-vmo
McAfee | rcpt | policy | 550 Denied [BounceDeny]
SonicWall | rcpt | policy | 550 BATV validation failure
SendGrid | rcpt | policy | 550 because the sender isn't on the recipient's list of senders to accept mail from
generic | rcpt | blocked | 550 You have been blocked by the recipient
generic | rcpt | policy | 550 User refuses to receive this mail
generic | rcpt | policy | 553 User refused to receive this mail.
Mail.ru | rcpt | policy | 550 We do not accept mail from hosts with dynamic IP or generic DNS PTR-records. Please get a custom reverse DNS name from your ISP for your host 192.0.2.1 or use smarthost
generic | rcpt | blocked | 550 service permits 2 unverifyable sending IPs - mail.example.org is not 192.0.2.1
generic | rcpt | policy | 554 Connection refused(mx). MAIL FROM [ann@example.org] mismatches client IP [192.0.2.1].
generic | rcpt | blocked | 554 Please visit http:// antispam.example.com/denyip.php?IP=192.0.2.1 (#5.7.1)
generic | rcpt | policy | 550 Verify mailfrom failed,blocked
generic | rcpt | policy | 553 Specified domain is not allowed.
generic | rcpt | policy | 550 not local host example.com, not a gateway
generic | rcpt | policy | 501 ann@example.org Sender email is not in my domain
generic | rcpt | policy | 553 VS10-RT Possible forgery or deactivated due to abuse (#5.1.1) 192.0.2.1
generic | rcpt | policy | 500 Unauthorized relay msg rejected
generic | rcpt | policy | 550 5.7.1 Access-Denied-XM.SSR-001
generic | rcpt | rate_limited | 550 Excessive userid unknowns from 192.0.2.1
generic | rcpt | blocked | 550 extreme bad ip profile
generic | rcpt | rate_limited | 550 error: no valid recipients from 192.0.2.1
generic | rcpt | blocked | 550 Sender is in my black list
generic | rcpt | blocked | 554 you are sending to/from an address that has been blacklisted
generic | rcpt | policy | 550 5.1.1 unroutable sender address
generic | rcpt | blocked | 550 Sorry, your remotehost looks suspiciously like spammer
generic | rcpt | blocked | 550 Your network is temporary blacklisted
generic | rcpt | policy | 550 5.7.1 you are not authorized to send mail, authentication is required
generic | rcpt | auth | 550 mail server requires authentication when attempting to send to a non-local e-mail address.
generic | rcpt | other | 451 System(u) busy, try again later.
generic | rcpt | other | 450 4.2.0 <bob@comcast.net> - Recipient temporarily unavailable
Yahoo | rcpt | other | 451 mta172.mail.tpe.yahoo.com Resources temporarily unavailable. Please try again later. [#4.16.4:70].
Tokyo | rcpt | other | 451 Temporarily unavailable -- please try later
RU-CENTER | rcpt | mailbox_full | 451 example.ru prohibited. Disk quota exceeded
RU-CENTER | rcpt | other | 451 Please try another server
slam.nhs.uk | rcpt | blocked | 500 Mail appears to be unsolicited -- report errors by telephoning the person you are emailing so they may add you to our whitelist or spammaster@example.com
Interia | rcpt | mailbox_not_found | 501 5.1.3 Odbiorca <bob@example.net> nie istnieje / Recipient <bob@example.net> does not exist
Postini | rcpt | blocked | 501 Spam Blocked - psmtp
generic | rcpt | blocked | 550 "Sorry, your message has triggered a SPAM block, please contact the postmaster"
generic | rcpt | mailbox_not_found | 550 "bob@example.net" is not a known user
generic | rcpt | mailbox_not_found | 550 ** No mail box available for this user **
generic | rcpt | mailbox_not_found | 550 5.1.1 unknown or illegal user: bob@example.com
Onet | rcpt | mailbox_disabled | 550 5.2.1 Mailbox not available / Konto niedostepne
SpamAssassin | rcpt | blocked | 550 5.7.1 Blocked by SpamAssassin
generic | rcpt | policy | 550 5.7.1 Rejected - bulk email
generic | rcpt | policy | 550 5.7.1 You're using a mass mailer, therefore you're bounced.
generic | rcpt | policy | 550 5.7.1 Your email breaches local URIBL policy.
Perl | rcpt | mailbox_not_found | 550 <bob@dumbo.example.com>: Nonexistent Mailbox
generic | rcpt | mailbox_not_found | 550 BAD_RECIPIENT - see http://www.mail.example.ac.uk/undelivered.php?r=BAD_RECIPIENT&e=YXBwMDlAYWJlci5hYy51aw==
generic | rcpt | blocked | 550 Denied due to spam list
generic | rcpt | blocked | 550 Message refused by MailMarshal SpamProfiler
generic | rcpt | domain_invalid | 550 No such domain at this location (bob@example.net)
generic | rcpt | mailbox_not_found | 550 Recipient does not exist on this system
ESET | rcpt | blocked | 550 Rejected by ESETS_SMTP (spam)
generic | rcpt | policy | 550 Your server requires confirmation. Visit http://www.example.com/Whitelist.aspx?IP=192.0.2.1 to confirm this mail server.
generic | rcpt | mailbox_disabled | 550 [SUSPEND] Mailbox currently suspended - Please contact correspondent directly
rz3 | rcpt | mailbox_not_found | 550 {mx001-rz3} <bob@example.net>... User unknown or not available - Empfaenger unbekannt oder nicht erreichbar
JunkEmailFilter | rcpt | policy | 550-REJECTED - Server at [test.example] (NOT JUNKEMAILFILTER) rejected message - 550 550 192.0.2.1 is not allowed to send mail from email.example.com
FreeUK | rcpt | mailbox_not_found | 550-bob@example.net is not an active address at this host (invalid FreeUK 550 username)
qmail | rcpt | mailbox_not_found | 553 sorry, badrcptto(user mail-box not found) (#5.7.1)
Symantec | rcpt | auth | 553 Sender Policy Framework (SPF) fail
generic | rcpt | mailbox_not_found | 554 Rcpt <bob@example.net> does not exist
generic | rcpt | blocked | 554 Sending address not accepted due to spam filter
generic | rcpt | mailbox_full | 552 Quota violation for bob@example.com
Virgin Media | rcpt | mailbox_not_found | 550 5.1.1 MXIN501 mailbox bob@virginmedia.com unknown
hgy.ooo | rcpt | mailbox_not_found | 550 RCPT (bob@example.com.cn) dosn't exist
lucidity | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com> Address Error
kaimayfair | rcpt | mailbox_not_found | 550 E-mail address is not handled by this system
Facebook | rcpt | mailbox_disabled | 550 5.1.1 RCP-P1 Domain facebook.com no longer available https://www.facebook.com/postmaster/response_codes?ip=192.0.2.1#RCP-P1
uca.fr | rcpt | mailbox_not_found | 550 5.5.0 Requested actions not taken as the mailbox is unavailable
parkwayhonda | rcpt | mailbox_not_found | 554 Unknown Recipient (#5.1.1)
hanmail | rcpt | mailbox_disabled | 550 5.2.1 RACT 192.0.2.1: Mailbox is inactive: <bob@hanmail.net>
medipro | rcpt | mailbox_not_found | 550 Callout verification failed: 550 No Such User Here
generic | rcpt | policy | 550 User not local or invalid address - Relay denied
Abusix | rcpt | blocked | 550 5.3.0 <bob@helsinki.example>... Mail from 192.0.2.1 rejected by Abusix blacklist
Spamhaus | rcpt | blocked | 550 Unable to add <bob@example.com> because host 192.0.2.1 is listed on zen.spamhaus.org
Abusix | rcpt | blocked | 550 host 192.0.2.1 is listed at combined.mail.abusix.zone (127.0.0.12,
Sendmail | rcpt | policy | 550 5.7.1 Relaying denied. IP name possibly forged [192.0.2.1]
Sendmail | rcpt | policy | 550 5.7.1 Relaying denied: You must check for new mail before sending mail. [192.0.2.1]
qmail | rcpt | policy | 553 sorry, mail from your location [192.0.2.1] is administratively denied (#5.7.1)
Symantec | rcpt | blocked | 550 Connection rejected by policy [7.3] 38206, please visit https://support.symantec.com/en_US/article.TECH246726.html for more details about this error message.
Proofpoint | rcpt | blocked | 550 5.7.0 Mail from 192.0.2.1 refused by Proofpoint Reputation Services. SENDER please see and take action: https://support.proofpoint.com/dnsbl-lookup.cgi?192.0.2.1
Amazon | rcpt | blocked | 554 smtp-fw-9107.amazon.com; SBRS score too low: http://www.senderbase.org/
Comcast | rcpt | blocked | 554 resimta-h1p-037598.sys.comcast.net 192.0.2.1 found on one or more DNSBLs, see http://postmaster.comcast.net/smtp-error-codes.php#BL000001
Sophos | rcpt | blocked | 550 5.7.1 Service unavailable; Client host [192.0.2.1] is blacklisted. Visit https://www.sophos.com/en-us/threat-center/ip-lookup.aspx?ip=192.0.2.1 to request delisting
Trend Micro | rcpt | blocked | 550 5.7.1 Mail from 192.0.2.1 has been blocked by Trend Micro Email Reputation Service.
milter-greylist | rcpt | ~rate_limited | 450 192.0.2.1 is not yet authorized to deliver mail from <ann@example.org>
fsf.org | rcpt | ~rate_limited | 451 You dont seem to have a reverse dns entry. Come back later. You are greylisted for 20 minutes. See http://www.fsf.org/about/systems/greylisting
generic | rcpt | policy | 554 5.7.1 <bob@example.com>: Recipient address rejected: Recipient address rejected for policy reasons
1&1 | rcpt | policy | 550-Requested action not taken: mailbox unavailable 550-Reject due to policy restrictions. 550 For explanation visit http://postmaster.1and1.com/en/error-messages?ip=192.0.2.1&c=poli
Rackspace | rcpt | policy | 550 5.1.0 <ann@example.org>: Sender address rejected: User unknown in relay recipient table
Dovecot | rcpt | mailbox_not_found | 550 5.1.1 <bob@example.com> User doesn't exist: bob@example.com
docker-mailserver | rcpt | policy | 550-Verification failed for <ann@example.com> 550-The mail server does not recognize ann@example.com as a valid sender. 550 Sender verify failed
SpamExperts | rcpt | blocked | 550 High probability of spam
Terra | rcpt | mailbox_not_found | 550 5.1.1 5.1.1 <bob@terra.com.br>: Recipient address rejected
NetEase | rcpt | policy | 554 One or more of the sender or recipients in your email are invalid and not accepted.
T-Online | rcpt | blocked | 554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.example.de to clarify.) (BL)
coviserver | rcpt | ~rate_limited | 450 4.7.1 <bob@example.de>: Recipient address rejected: Service temporarily unavailable, please try later
infradead | rcpt | policy | 554 5.7.1 You are not allowed to connect.
magento | rcpt | policy | 550 5.7.1 refused by local policy (MBL-R)
Deluxe | rcpt | auth | 550 5.7.1 <bob@example.com>: Recipient address rejected: Blocked by SPF ()
`

/** A line of the table. */
export interface KnownReply {
  readonly provider: string
  readonly stage: Stage
  readonly category: string
  readonly greylisted: boolean
  readonly wire: string
}

function read(table: string): KnownReply[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [provider = '', stage = '', category = '', ...wire] = line.split(' | ')
      const greylisted = category.startsWith('~')
      return {
        provider,
        stage: stage as Stage,
        category: category.replace('~', ''),
        greylisted,
        wire: wire.join(' | '),
      }
    })
}

export const KNOWN_REPLIES = read(KNOWN)
export const COLLECTED_REPLIES = read(COLLECTED)
