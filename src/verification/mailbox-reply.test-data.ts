// Replies to RCPT in the words of many hosts: "no such user", and "we refuse you" in words that resemble it.

const read = (lines: string): string[] => lines.trim().split('\n')

/** There is no such mailbox. */
export const NO_SUCH_MAILBOX = read(`
550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address for typos or unnecessary spaces. Learn more at https://support.google.com/mail/?p=NoSuchUser a1-20020a170 - gsmtp
550-5.1.1 The email account that you tried to reach does not exist. Please try
550 5.5.0 Requested action not taken: mailbox unavailable [AM7EUR03FT022.eop-EUR03.prod.protection.outlook.com 2025-01-01T00:00:00.000Z 08DD]
550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
550 5.4.1 Recipient address rejected: Access denied. [DB8EUR05FT064.eop-eur05.prod.protection.outlook.com 2024-11-01T10:00:00.000Z 08DCF]
550 #5.1.0 Address rejected.
550 5.1.1 User unknown
550 No such user here
550 Unknown user
550 5.1.1 unknown or illegal alias: jdoe@example.com
550 5.1.1 <jdoe@example.com> recipient rejected, user unknown
550 5.1.1 RCPT TO error: No such user
550 Requested action not taken: mailbox unavailable
550 5.1.1 Mailbox does not exist
550 sorry, no mailbox here by that name. (#5.7.17)
550 jdoe@example.com: Recipient address rejected: User unknown in virtual alias table
550 5.7.1 No such recipient
550 Address not present in directory
550 5.1.1 unknown recipient
550 Recipient unknown
550 5.1.1 Recipient not found
550 recipient not found
554 delivery error: dd This user doesn't have a yahoo.com account (jdoe@yahoo.com) [0] - mta1234.mail.bf1.yahoo.com
552 1 Requested mail action aborted, mailbox not found
550 5.1.1 <jdoe@example.com> is not a valid mailbox
550 5.1.1 No such mailbox
553 5.3.0 <jdoe@example.com>... No such user here
550 5.1.0 jdoe@example.com User unknown, not local address
550 User jdoe@example.com does not exist
550 This address no longer accepts mail.
550 5.1.1 The recipient's email address does not exist
550 Invalid recipient
550 Invalid recipient jdoe@example.com (#5.1.1)
550 5.1.1 Address unknown
550 Mailbox unknown
511 5.1.1 User does not exist
550 no mailbox by that name is currently available
550 5.2.1 There is no such user. Please check the address
550 Unable to find user
550 5.1.1 Account not found
550 Account does not exist
550 5.1.1 Unknown email address
550 mailbox for <jdoe@example.com> not found
550 5.1.1 Destination mailbox address not found
551 User not local; please try <forward-path>
550 not local user
550 user not found
550 5.1.1 The user you are trying to contact does not exist
550 5.1.1 No mailbox found
550 5.1.1 no such address here
550 Bad destination mailbox address
553 sorry, this recipient is not in my validrcptto list (#5.7.1)
550 cuda_nsu No such user (jdoe@example.com)
550 5.1.1 <jdoe@example.com> User doesn't exist: jdoe@example.com
550 5.1.1 <jdoe@example.com> Mailbox doesn't exist: jdoe@example.com
550 RCPT TO:<jdoe@example.com> User unknown
550 <jdoe@example.com> No such user here
550 5.0.0 <jdoe@example.com>... User unknown
550 5.1.1 Invalid email recipients
550 5.1.1 invalid address
550 Invalid address
550 5.1.3 Invalid recipient address
550 Non-existent user
550 5.1.1 <jdoe@example.com>: Email address could not be found, or was misspelled (G8)
550 5.1.1 User Unknown; rejecting
550 Unknown recipient address
550 <jdoe@example.com>: Recipient address rejected: Mailbox does not exist
550 5.1.1 <jdoe@example.com>: Recipient address rejected: Undeliverable address: unknown user: "jdoe"
550 permanent failure for one or more recipients (jdoe@example.com:550 5.1.1 User unknown)
550 5.1.1 Recipient address rejected: unverified address: host mail.example.com[192.0.2.7] said: 550 5.1.1 User unknown (in reply to RCPT TO command)
550 5.1.1 Can't find recipient
550 5.1.1 Sorry, no mailbox here by that name
550 5.1.1 Unrouteable address
550 unroutable address
550 Cannot find a mailbox for that address
550 5.1.1 Delivery to the following recipient failed: user unknown
550 The user does not exist here
550 5.1.1 <jdoe@example.com> This address does not exist
550 there is no such user jdoe
550 Sorry, there is no mailbox here by that name
550 5.1.1 [internal] The recipient does not exist
550 5.1.1 is not a known user on this system
550 Not a valid recipient
550 5.1.1 Adresse d'un destinataire inconnue
550 5.1.1 Destinatario sconosciuto
550 5.1.1 Benutzer existiert nicht
550 5.1.1 L'utilisateur n'existe pas
550 5.1.1 El usuario no existe
550 5.1.1 Usuário desconhecido
550 5.1.1 Nie ma takiego adresu
550 5.1.1 No such user - psmtp
550 5.1.1 xxx mail receiver not exist
550 User not found: jdoe@163.com
550 Mailbox not found or access denied
550 5.1.1 User unknown (U1)
550 5.1.1 <jdoe@example.com> Address does not exist
550 No mailbox here for jdoe
550 RP:RDN user does not exist
550 MAILBOX NOT FOUND
550 5.7.1 Unknown user
550 5.7.1 <jdoe@example.com>: Recipient address rejected: no such user
554 5.7.1 <jdoe@example.com>: Recipient address rejected: user jdoe does not exist
554 No such user
554 5.1.1 recipient unknown
553 5.1.1 unknown user account
553 Unknown recipient
501 5.1.1 bad address: no such user
521 5.1.1 user unknown
550 5.1.6 recipient no longer on server: jdoe@icloud.com
550 5.1.1 <jdoe@example.com>: Recipient address rejected: User unknown in relay recipient table
550 ad_user_unknown
550 5.1.1 verify: recipient not known
550 5.1.1 the account jdoe@example.com is unknown
550 User email address is marked as invalid.
550 5.1.1 Mailaddress does not exist
550 unknown user <jdoe@example.com>
550 5.1.1 Recipient e-mail address is not found
550 5.1.1 User no longer exists
550 #5.1.1 bad address jdoe@example.com
550-Callback setup failed while verifying <jdoe@example.com> 550 Recipient verify failed: no such mailbox
550 Recipient verify failed
550 Administrative prohibition: unknown recipient
550 5.1.1 Unknown local user
550 5.2.0 No such mailbox
550 That user does not have an account here
550 5.1.1 User account is unavailable
550 5.1.1 user unavailable
550 Not our customer
550 mailbox name not allowed
553 Requested action not taken: mailbox name not allowed
550 Mailbox name not found
550 Recipient Rejected: No account by that name here
550 5.4.6 No such user
550 5.1.1 That email account doesn't exist here
550 <jdoe@example.com> is not a registered user
550 is unknown to me
550 5.1.1 we do not have a user by that name
550 Error: no such user
550 5.1.1 can't deliver: user unknown
550 [SUSPEND] Mailbox currently not existing
550 Address invalid
550 Unknown destination mailbox
550 5.1.1 username not recognized
550 Undeliverable: recipient not listed in directory
550 no existe el buzon
550 5.1.1 recipient email address unknown
550 inexistent mailbox
550 jdoe is not a user here
550 5.1.1 Recipient address lookup failed: user not found in LDAP
550 We don't know of any user called jdoe
550 5.1.1 Error: invalid mailbox path
550 5.1.1 Mailbox "jdoe" unknown
550 Sorry, user jdoe is unknown
550 jdoe@example.com... User unknown
550 5.1.1 Recipient "jdoe" does not exist
550 5.7.1 Recipient not in recipient list
550 #5.1.0 Address rejected jdoe@example.com
550 4.5.1 unknown user
550 RCPT: mailbox not found
550 The mail address you entered does not exist
550 5.1.1 No account found with that email address
550 Email address does not exist
550 Emailaddress unknown
550 5.1.2 recipient not found
550 User is not registered
550 sorry, no such mailbox (#5.1.1)
550 Hello. No such user found
550 5.1.1 Unknown mailbox
550 5.5.1 invalid recipient
550 this mailbox doesn't exist
550 5.1.1 This user doesn't exist
550 address error: no such recipient
550 non-existing user
550 The recipient address <jdoe@example.com> was not found
550 5.1.1 Recipient address rejected: user not found
550 5.1.1 Recipient address rejected: alias not found
550 Mailbox doesn't exist
550 5.1.1 Person unknown
550 relay not permitted: unknown user
550 Requested mail action not taken: mailbox not found
550 Could not find user
550 5.1.1 wrong recipient
550 mailbox does not exist or is disabled
550 The account you are trying to reach does not exist
550 destinataire inconnu
550 5.1.1 Empfänger unbekannt
550 5.1.1 Empfaengeradresse existiert nicht
550 5.1.1 Onbekend e-mailadres
550 5.1.1 Indirizzo email inesistente
550 5.1.1 Почтовый ящик не существует
550 5.1.1 Such mailbox does not exist
450 4.1.1 <jdoe@example.com>: Recipient address rejected: User unknown in local recipient table
550 5.1.1 No valid recipients
554 5.5.1 Error: no valid recipients
550 Unrouteable address (unknown user)
550 unknown address
550 5.1.1 recipient address not known
550 No one by that name here
550 Address rejected: unknown local-part
550 User unknown on this server
550 Destination address does not exist
550 5.1.1 user is unknown
550 We have no mailbox by that name
550 mail to jdoe@example.com not accepted here, no such account
550 5.1.1 invalid user
550 bad user
550 bad recipient
550 5.1.1 the email address you are trying to reach cannot be found
550 can't accept user
550 5.1.1 <bob@example.com>... email address lookup in domain map failed
554 no valid recipients, bye
550 5.7.1 Requested action not taken: mailbox not available
`)

/** The host does not like us, our network, our name, our sender or our speed; nothing is said of the mailbox. */
export const REFUSED_US = read(`
550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus. To request removal from this list see https://www.spamhaus.org/query/ip/192.0.2.1 (AS16012609)
550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).
554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/sbl/query/SBLCSS
550 5.7.606 Access denied, banned sending IP [192.0.2.1]
550 5.7.1 [192.0.2.1      12] Our system has detected that this message is likely unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked.
421 4.7.0 [192.0.2.1      15] Our system has detected an unusual rate of unsolicited mail originating from your IP address.
553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list
554 5.7.1 You are not allowed to connect.
550 Your IP is blacklisted
550 Mail rejected due to poor reputation of sender IP
550 sender domain blacklisted
554 5.7.1 Mail from 192.0.2.1 rejected, no reverse DNS
550 5.7.25 The sending IP does not have a PTR record
550 5.7.1 Client does not have permissions to send as this sender
550 5.7.1 Sender not authorized
550 Sender address rejected: not found
550 <>: Sender address rejected: null sender not allowed
550 5.7.1 We do not accept mail from dynamic IPs
554 Denied (Mode: normal)
550 5.7.1 Message rejected because of unacceptable content
554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.
550 Rule imposed mailbox access for refused: user invalid sender
550 5.7.1 Recipient address rejected: Blocked by policy
550 5.7.1 Your message was blocked by the recipient's email admin
550 5.7.0 Local policy violation
550 Bad HELO - Host impersonating
550 5.7.1 <mail.example.com>: Helo command rejected: need fully-qualified hostname
550-ERROR: Your mail has been rejected because your IP is listed at bl.spamcop.net
554 Blocked - see http://www.spamcop.net/bl.shtml?192.0.2.1
550 5.7.1 Command rejected
550 JunkMail rejected - (mail.example.com) [192.0.2.1] is in an RBL
550 5.7.1 Spam source blocked
550 Rejected by Barracuda reputation
550 5.7.1 Rejected: 192.0.2.1 listed at b.barracudacentral.org
550 Connection refused: too many invalid recipients from your host
550 Too many invalid recipients
421 Too many errors, closing
550 5.7.1 Relaying denied
550 5.7.1 Unable to relay for jdoe@example.com
553 sorry, that domain isn't in my list of allowed rcpthosts; no valid cert for gatewaying (#5.7.1)
554 5.7.1 <jdoe@example.com>: Relay access denied
550 5.7.1 SPF check failed
550 5.7.23 SPF validation failed
550 5.7.509 Access denied, sending domain does not pass DMARC verification
550 Message rejected: sender is spammer
550 Host 192.0.2.1 is not allowed to send mail here
550 You are blocked. Contact postmaster
550 your server is not welcome here
550 5.7.1 Recipient not authorized, your IP has been found on a block list
550 5.7.1 No thanks
554 Transaction failed: your IP has bad reputation
550 Administrative prohibition
550 Administrative prohibition - envelope blocked
550 Connection from your network is not permitted
554 5.7.0 Blocked by customer's policy
550 the sending mail server is on our deny list
550 sender IP must resolve
550 Cannot resolve your address
550 reverse DNS lookup failed for host 192.0.2.1
550 Unknown sender domain
550 5.1.8 Sender address domain not found
553 5.1.8 Domain of sender address does not exist
550 5.1.7 Invalid sender address
550 Verification failed for sender: no such user
550 Sender verify failed
550-Verification failed for <probe@example.net> 550-The mail server could not deliver mail to probe@example.net. The account or domain may not exist, they may be blacklisted, or missing the proper dns entries. 550 Sender verify failed
550 5.7.1 TRANSFER BLOCKED: sender is not accepted
521 5.2.1 : AOL will not accept delivery of this message.
421 mail.example.com service not available, your IP rate limited
450 4.7.1 Client host rejected: cannot find your reverse hostname
550 5.7.1 Client host rejected: Access denied
554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: generic hostname
550 Message from (192.0.2.1) rejected, see www.example.com/block
550 permanent failure: blocked sender
550 Dynamic IP Addresses See: http://www.sorbs.net/lookup.shtml?192.0.2.1
550 We do not relay
550 User quota of sender exceeded
550 5.7.1 Mailbox rejected: your country is blocked
550 Callout verification failed: unknown sender
550 Blocked for spam
550 5.7.1 SMTP session denied by policy
550 Email blocked by VPS.NET - user unknown list poisoning
550 HELO rejected: invalid host name
550 The IP address [192.0.2.1] has been blocked due to directory harvest attack
550 You have reached the limit of invalid users
571 Email from 192.0.2.1 is currently blocked by Verizon Online's anti-spam system
554 5.7.1 ACL dns_rbl; Client host [192.0.2.1] blocked using pbl.spamhaus.org
550 rejected by recipient's spam filter
550 5.7.1 Access denied by rule: unknown client
550 mail not accepted from blacklisted IP address [192.0.2.1]
550 Sender not found in whitelist
550 5.7.1 Sorry, you are not allowed to use this recipient
550 5.7.1 User unknown senders are rejected by our policy
550 Sender account does not exist
550 5.7.1 Access to this account from your network is disabled
550 <probe@example.net>: Sender address rejected: User unknown in local recipient table
550 Invalid HELO name (See RFC2821 4.1.1.1)
550 We don't accept mail from unknown hosts
550 Unknown sender address, sending host 192.0.2.1 has no MX
550 Message from invalid sender
550 5.7.1 mail not accepted: sender IP not found in DNS
550 No such host, check your reverse DNS
550 IP not found
550 Your host name 'mail.example.com' does not exist
450 4.7.1 Client host rejected: cannot find your hostname, [192.0.2.1]
550 your mail server 192.0.2.1 is not listed in our allow list
550 5.7.1 address 192.0.2.1 is suspended due to abuse
550 account of your host is blocked
554 5.7.1 Rejected: your host is listed as invalid at example.org
550 5.7.1 unauthenticated email from example.com is not accepted
550 5.7.1 Blocked by recipient
550 Sender is on user denylist
550 5.7.1 Email rejected per SPF policy
550 Recipient has blocked you
550 spf: sender address does not exist
554 5.7.1 Rejected 192.0.2.1 found in dnsbl.example.org
550 invalid reverse
550 Cannot process address: your IP [192.0.2.1] is disabled
550 5.7.1 This mailbox does not accept messages from your domain
550 Too many unknown users; closing
421 Too many nonexistent recipients. Try later
550 5.5.3 Too many unknown recipients from 192.0.2.1
451 Your IP made too many invalid recipient attempts
550 Rejected because 192.0.2.1 is in a black list at zen.spamhaus.org
554 5.7.1 Mail (xyz) Service unavailable; Client host [192.0.2.1] blocked
550 5.7.1 Requested action not taken: message refused
550 mailbox unavailable: your IP address is blocked
550 Requested action not taken: mailbox unavailable For explanation visit http://postmaster.gmx.com/en/error-messages?ip=192.0.2.1&c=rdns
550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is blacklisted using Spamhaus.
550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup
550 authentication required for relay
550 must be authenticated to send to this user
530 5.7.0 Must issue a STARTTLS command first
550 5.7.1 Not accepting mail from this sender; user has spam protection
550 Sorry, your envelope sender is in my badmailfrom list (#5.7.1)
553 sorry, your mail was administratively denied. (#5.7.1)
550 Denied by secumail valid-address-filter
550 Refused by local policy. No SPAM please!
554 Refused. Your domain name is unknown.
550 Your email has been rejected by Antispam
550 5.7.1 Our system thinks your host is a dynamic user
`)
