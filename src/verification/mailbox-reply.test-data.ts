// Replies to RCPT in the words of many hosts: "no such user", and "we refuse you" in words that resemble it. Long because
// it is one table, and grows with what is met.

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
550 5.1.1 <bob@example.com>: Recipient address rejected: User unknown in virtual alias table
550 5.1.0 <bob@example.com>: Recipient address rejected: User unknown in virtual alias table
550 5.1.1 <bob@example.com>: Recipient address rejected: undeliverable address: unknown user: "bob"
550 5.1.1 <bob@example.com>: Recipient address rejected: undeliverable address: host 10.0.0.5[10.0.0.5] said: 550 5.1.1 <bob@example.com> User doesn't exist: bob@example.com (in reply to RCPT TO command)
550 5.1.1 <bob@example.com>: Recipient address rejected: undeliverable address: host mail.example.com[private/dovecot-lmtp] said: 550 5.1.1 <bob@example.com> User doesn't exist: bob@example.com (in reply to RCPT TO command)
550 5.7.1 <bob@example.com>: Recipient address rejected: this mailbox is not known to us
554 5.7.1 <bob@example.com>: Recipient address rejected: Mailbox does not exist on this system
550 <bob@example.com>: Recipient address rejected: Unknown recipient
550-Callout verification failed: 550 5.1.1 <bob@example.com>... User unknown
550 Unrouteable address (in reply to RCPT TO command)
550 No such recipient here
550 No Such User Here"
550 <bob@example.com>: unknown user account
550 5.1.1 sorry, no mailbox here by that name (chkuser)
550 sorry, no mailbox here by that name. (#5.1.1)
550 5.1.1 <bob@example.com>... User unknown; rejecting
553 5.3.0 <bob@example.com>... Unknown user
550 5.0.0 <bob@example.com>... No such user here
550 5.7.1 <bob@example.com>... Recipient unknown in LDAP
550 5.1.1 Mailbox "bob" does not exist
550 5.1.10 Recipient not found
550 5.1.1 User unknown in domain
550 5.2.1 This mailbox does not exist
550 5.7.1 Unable to deliver to <bob@example.com>: address not listed
554 5.7.1 This user doesn't have a yahoo.com account (bob@yahoo.com) [-5]
550 5.1.1 <bob@icloud.com>: user does not exist
550 5.1.1 Not our Customer - http://postmaster.comcast.net/smtp-error-codes.php#RL000010
550 5.1.1 User does not exist - <bob@zoho.com>
550 Message was not accepted -- invalid mailbox.  Local mailbox bob@mail.ru is unavailable: user not found
550 Mailbox not found. https://service.mail.qq.com/detail/122/169
550 MI:RNF User not found: bob@163.com
550 RP:RNE User not exist
550 5.1.1 <bob@gmx.net>: mailbox unavailable: the recipient address does not exist
550 5.1.1 Recipient does not exist: bob@example.fr
550 5.1.1 <bob@example.com> User unknown; no such mailbox at this host
550 Invalid recipient: bob@example.com (Mode: normal)
550 5.1.1 Recipient unknown <bob@example.com>
550 <bob@example.com>, Recipient unknown
550 5.1.1 bob@example.com User not found
550 5.1.1 User <bob@example.com> unknown; no local account
550 5.1.1 bob@example.com does not match any user on this server
550 5.7.1 bob@example.com: recipient not in Domino directory
550 bob@example.com... No such user
550 bob@example.com account is unknown
550 5.1.1 Invalid recipient <bob@example.com>
550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550
550 Recipient email address is possibly incorrect - https://community.mimecast.com/docs/DOC-1369#550
550 5.1.1 <bob@example.com>: Recipient address rejected: User unknown in relay recipient table (mx1-us1.ppe-hosted.com)
550 permanent failure for one or more recipients (bob@example.com:550 5.1.1 unknown user)
550 #5.1.0 Address rejected bob@example.com
550 5.1.1 <bob@example.com>: Recipient is not a known address for this domain
550-Verification failed for <bob@example.com> No Such User Here Recipient verify failed
550 Recipient verify failed: the mail server at the destination does not know this address
550 5.1.1 Requested action not taken: no such mailbox at this site
550-Invalid recipient bob@example.com (#5.1.1)
501 5.1.3 Bad recipient address syntax: bob..@example.com
550 cuenta inexistente
550 5.1.1 Destinataire inconnu ou boite fermee
550 Adressat unbekannt
550 Empfaenger existiert nicht
550 5.1.1 The user bob is not part of this organization
550 User bob@example.com was not found on this mail system
550 5.1.1 We do not have a mailbox by that name
550 Sorry, that user is not one of ours
550 5.1.1 Email address could not be matched to a mailbox
550 Rejected: this address is not configured on the server
550 5.1.1 That address has never existed here
550 5.1.1 This is not a valid email address. Please verify that you have the correct email address for your recipient.
550 5.7.1 <bob@example.com>: Recipient address rejected: User email address is marked as invalid.
550 5.2.1 <bob@prodigy.net>... blank mailhost - invalid address, relay=[192.0.2.1]
550 cuda_nsu 5.4.1 [bob@example.com]: Recipient address rejected: Access denied [example.com]
550 cuda_nsu 5.1.1 <bob@example.com>... User unknown
550 5.1.1 <bob@comcast.net> recipient mailbox unallocated
550 5.1.1 <bob@example.com>: Email address could not be found, or was misspelled (G8)
550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found
553 5.1.1 <bob@example.com> unknown user account
550 Error: no such user as bob
550 <bob@example.com> is a deactivated or nonexistent mailbox
550 5.1.1 The recipient address you typed is unknown on this server, check its spelling
550 5.1.1 <bob@orange.fr> Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]
550 5.5.0 Boite du destinataire inexistante
550 5.1.1 Address does not exist in our directory
551 User not local; please try <bob@example.net>
550 5.1.1 <bob@t-online.de> Unknown recipient
550 unknown user <bob@free.fr>
550 5.1.1 <bob@libero.it> recipient not found
550 Mailbox is inactive or does not exist here
550 Wrong recipient
550 5.1.1 <bob@wp.pl>: no mailbox by that name is currently available
550 5.1.1 <bob@seznam.cz>: this mailbox doesn't exist. Please check the address you sent to
550 5.1.1 The address you sent to is not a valid recipient here
550 Recipient denied: not in the valid recipients list
550 5.1.1 Recipient rejected: nonexistent user
550 bob@example.com unknown to this server. Please contact your server administrator
550 Account not available
550 5.1.1 Mailbox for bob@example.com is not hosted on this server
550 Benutzer existiert hier nicht
550 5.1.1 L'adresse du destinataire n'existe pas
550 O destinatario nao existe neste servidor
550 5.1.1 Ящик не существует
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
554 5.7.1 <bob@example.com>: Recipient address rejected: Please see http://www.openspf.org/Why?s=mfrom;id=me%40example.org;ip=192.0.2.1;r=mx
550 5.7.1 <bob@example.com>: Recipient address rejected: Message rejected due to: SPF fail - not authorized. Please see http://www.open-spf.org/Why
450 4.7.1 <bob@example.com>: Recipient address rejected: Policy restrictions; try later
550 5.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]
504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname
550 5.7.1 <mail>: Helo command rejected: invalid hostname does not exist
450 4.1.8 <me@example.org>: Sender address rejected: Domain not found
550 5.1.8 <me@example.org>: Sender address rejected: Domain not found
550 5.1.0 <me@example.org>: Sender address rejected: User unknown in virtual mailbox table
553 5.7.1 <me@example.org>: Sender address rejected: not owned by user
550 5.1.7 <me@example.org>: Sender address rejected: undeliverable address: host mx.example.org[192.0.2.5] said: 550 5.1.1 user unknown (in reply to RCPT TO command)
550-Verification failed for <me@example.org> 550-No Such User Here 550 Sender verify failed
550 Sender verify failed: unrouteable address
550-Callback setup failed while verifying <me@example.org> 550 The initial connection, or a HELO or MAIL FROM:<> command was rejected; sender verify failed
451 Could not complete sender verify callout
550 "JunkMail rejected - mail.example.org [192.0.2.1]:41000 is in an RBL: https://www.spamhaus.org/query/ip/192.0.2.1"
550-mail.example.org [192.0.2.1] is currently not permitted to relay through this server. Perhaps you have not logged into the pop/imap server in the last 30 minutes or do not have SMTP Authentication turned on in your email client. 550 relay not permitted
550 Access denied - Invalid HELO name (See RFC2821 4.1.1.1)
553 sorry, your envelope sender domain must exist (#5.7.1)
571 sorry, sender address has invalid format (#5.1.7 - chkuser)
550 5.7.1 Rejected: 192.0.2.1 listed at zen.spamhaus.org
553 5.1.8 <me@example.org>... Domain of sender address me@example.org does not exist
451 4.1.8 Domain of sender address me@example.org does not resolve
550 5.7.1 Command rejected; connecting host has no valid PTR
550 5.7.1 Fix reverse DNS for 192.0.2.1
550 5.7.1 Access denied: no reverse lookup found, unknown address
451 4.7.1 Please try again later (TGT)
451 4.7.0 Temporary server error. Please try again later. PRX5
450 4.7.0 Proxy session setup failed on Frontend with 'Sender hop not accepted'
550 5.7.1 Unable to relay for bob@example.com
530 5.7.57 Client not authenticated to send mail
421 4.7.66 TLS 1.0 and 1.1 are not supported. Please upgrade/update your client
421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1
550 5.7.1 Mail from IP 192.0.2.1 was rejected due to listing in Spamhaus PBL
554 resimta-po-14v.sys.comcast.net comcast 192.0.2.1 found on one or more DNSBLs, see http://postmaster.comcast.net/smtp-error-codes.php#BL000001
550 5.2.0 192.0.2.1 blocked by Comcast. Error: BL000000
421 4.1.0 192.0.2.1 Throttled - too many invalid recipients. http://postmaster.comcast.net RL000008
554 5.1.8 Email Outgoing Blocked - unknown user domain
550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=x or report details
451 4.7.1 Sorry, the service is currently unavailable. Please come back later. [yandex]
550 Connection frequency limited. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000722
550 Domain frequency limited [192.0.2.1 IP: 192.0.2.1] . https://service.mail.qq.com/detail/124/61
554 IP<192.0.2.1> in blacklist
550 User has no permission
550 RP:TRC 163 smtp: too many recipients unknown from your IP
553 Requested action not taken: NO SMTP user authentication, local user only 163
554-kundenserver.de (mxeu012) Nemesis ESMTP Service not available 554-No SMTP service 554-Bad DNS PTR resource record.
554-gmx.net (mxgmx115) Nemesis ESMTP Service not available 554-No SMTP service 554 IP address is block listed.
550 Requested action not taken: mailbox unavailable. Reason: Sender address has null MX
550 5.7.1 Sender IP must resolve
554 5.7.1 spam score too high for the unknown sender, see https://support.gandi.net
550 Sender's mailbox does not exist. 192.0.2.1
550 Blacklisted: HELO name does not exist
550 Protocol violation: HELO is local hostname not found
550 rejected because of not in approved list
550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550
550 Rejected by header based manually Blocked Senders - https://community.mimecast.com/docs/DOC-1369#550
451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451
554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554
554 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.1
550 5.7.1 <me@example.org>... Invalid sender; user does not exist at source
554 Service unavailable; Client host [mail.example.org] blocked by bl.barracudacentral.org; BarracudaNetworks Reputation
554-esa1.example.com 554 Your access to this mail system has been rejected due to the sending MTA's poor reputation. If you believe that this failure is in error, please contact the intended recipient via alternate means.
550 5.7.1 Connection refused: address not found in reverse map
550 Denied by policy, sender domain not found
550 5.7.1 TRM-unknown IP; Trend Micro Email Reputation: 192.0.2.1 listed in QIL
550 IP in FortiGuard blocklist: unknown sender reputation
550 5.7.1 [SDR] Sender domain has a bad reputation and does not exist in safe list
553 Message filtered. Please see the FAQs section on spam
501 Connection rejected by policy [7.7] 20805, please visit www.messagelabs.com/support for more details about this error message
550 Mail is rejected by recipients [aBcD IP: 192.0.2.1]. https://service.mail.qq.com/detail/0/92
550 Invalid recipients exceeded; your IP will be delayed
550 5.7.1 Sorry, we do not know you
554 Transaction failed: sender not known
550 You are not a known correspondent of this recipient
550 5.7.1 User not authenticated, unknown account for submission
550 5.7.1 No valid PTR record found for 192.0.2.1
550 No MX record found for sender's domain
550 5.1.8 Sender domain has no A or MX record
550 5.1.7 The originator's mailbox does not exist
550 5.7.1 Connections not accepted from servers without a valid sender example.org. Fix reverse DNS for 192.0.2.1
550 invalid DNS MX or A/AAAA resource record
550 non-local sender verification failed
501 Mail From Domain does not include a usable MX or A entry
553 Domain of sender address does not exist
550 Your domain has no DNS/MX entries
550 Could not resolve sender domain
550 Sender has no A, AAAA, or MX DNS records.
550 mwinf5c14 ME Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102
554 mxavas bizsmtp no DNS reverse for 192.0.2.1
554 Connecting IP must have valid PTR record for 192.0.2.1
501 Domain must resolve.
550 IP address does not properly resolve for reverse DNS lookup
550 Sorry, no access for this domain
550 5.7.1 Unknown or invalid server identity, rejecting
550 5.7.1 The server you are connecting from is unknown
554 mail server permanently rejected message: unknown sending domain
550 Rejected because 192.0.2.1 is in a black list at bl.spamcop.net
450 4.3.2 Service currently unavailable, try again later
450 4.7.1 Recipient address rejected: Client address not yet known, try later
451 4.7.1 Greylisting in action, please come back in 00:04:59
450 4.2.0 Recipient address rejected: Unknown sender/recipient pair, greylisted
550 5.7.1 Message from unknown mail server 192.0.2.1 refused
550 Access denied - you are not a known mail source
550 HELO hostname does not match rDNS and does not exist
550 5.7.1 EHLO/HELO argument is an unqualified or unknown name
554 No SMTP service from hosts without valid DNS
550 non-existent sender
554 5.7.1 Recipient only accepts mail from known users
`)
