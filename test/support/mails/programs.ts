// Messages in the forms of ten mail programs; each is a reply to several recipients, with an image in the HTML body and
// an attachment.

/**
 * A message of a mail program. The author is `hello@example.test`, and each body links to
 * `https://shop.example/<number>`.
 */
export interface ProgramMail {
  readonly program: string
  /** The message with CRLF lines, without header fields that control the service. */
  readonly raw: string
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n').toString('base64')

/** The bytes of `Grüße` in UTF-8, one character per byte. */
const GRUESSE = 'Gr\u00c3\u00bc\u00c3\u009fe'

const lines = (text: string): string => text.replace(/^\n/, '').replaceAll('\n', '\r\n')

const OUTLOOK = `
From: Shop <hello@example.test>
To: "Reader, Ann" <ann@receiver.example>; Bob <bob@receiver.example>
Cc: "Team" <team@elsewhere.example>
Subject: RE: Order 17
Thread-Topic: Order 17
Thread-Index: AQHbQX3kVvVn3cC2lE2n8t0kqkqVb7Kb2K1g
Date: Fri, 27 Nov 2026 09:14:05 +0000
Message-ID: <DB9PR04MB1234A1B2C3D4E5@DB9PR04MB1234.eurprd04.prod.outlook.com>
References: <1@receiver.example> <2@receiver.example>
In-Reply-To: <2@receiver.example>
Accept-Language: en-GB, en-US
Content-Language: en-US
X-MS-Has-Attach: yes
X-MS-TNEF-Correlator:
Content-Type: multipart/mixed;
	boundary="_005_DB9PR04MB1234_"
MIME-Version: 1.0

--_005_DB9PR04MB1234_
Content-Type: multipart/related;
	boundary="_004_DB9PR04MB1234_";
	type="multipart/alternative"

--_004_DB9PR04MB1234_
Content-Type: multipart/alternative;
	boundary="_000_DB9PR04MB1234_"

--_000_DB9PR04MB1234_
Content-Type: text/plain; charset="us-ascii"
Content-Transfer-Encoding: quoted-printable

See https://shop.example/1 for=
 the order.

--_000_DB9PR04MB1234_
Content-Type: text/html; charset="us-ascii"
Content-Transfer-Encoding: quoted-printable

<html xmlns:v=3D"urn:schemas-microsoft-com:vml"><head>
<meta http-equiv=3D"Content-Type" content=3D"text/html; charset=3Dus-ascii">
</head><body lang=3D"EN-GB"><p class=3D"MsoNormal">See <a href=3D"https://s=
hop.example/1">the order</a><img src=3D"cid:image001.png@01DB417E.5A3F2B10"=
></p></body></html>

--_000_DB9PR04MB1234_--

--_004_DB9PR04MB1234_
Content-Type: image/png; name="image001.png"
Content-Description: image001.png
Content-Disposition: inline; filename="image001.png"; size=70;
	creation-date="Fri, 27 Nov 2026 09:14:04 GMT"
Content-ID: <image001.png@01DB417E.5A3F2B10>
Content-Transfer-Encoding: base64

${PNG}

--_004_DB9PR04MB1234_--

--_005_DB9PR04MB1234_
Content-Type: application/pdf; name="Order 17.pdf"
Content-Description: Order 17.pdf
Content-Disposition: attachment; filename="Order 17.pdf"; size=45
Content-Transfer-Encoding: base64

${PDF}

--_005_DB9PR04MB1234_--
`.replace('>; Bob', '>, Bob')

const APPLE_MAIL = `
From: Shop <hello@example.test>
Content-Type: multipart/alternative;
	boundary="Apple-Mail=_0A1B2C3D-1111-4222-8333-444455556666"
Mime-Version: 1.0 (Mac OS X Mail 16.0 \\(3826.200.121\\))
Subject: Re: Order 17
X-Universally-Unique-Identifier: 9D7A2B1E-0000-4000-8000-1234567890AB
Date: Fri, 27 Nov 2026 10:20:11 +0100
References: <1@receiver.example>
To: Ann <ann@receiver.example>,
 Bob <bob@receiver.example>
Cc: team@elsewhere.example
In-Reply-To: <1@receiver.example>
Message-Id: <3F2504E0-4F89-11D3-9A0C-0305E82C3301@example.test>
X-Mailer: Apple Mail (2.3826.200.121)


--Apple-Mail=_0A1B2C3D-1111-4222-8333-444455556666
Content-Transfer-Encoding: quoted-printable
Content-Type: text/plain;
	charset=utf-8

Gr=C3=BC=C3=9Fe, see https://shop.example/2


--Apple-Mail=_0A1B2C3D-1111-4222-8333-444455556666
Content-Type: multipart/mixed;
	boundary="Apple-Mail=_7777AAAA-1111-4222-8333-444455556666"


--Apple-Mail=_7777AAAA-1111-4222-8333-444455556666
Content-Type: multipart/related;
	type="text/html";
	boundary="Apple-Mail=_8888AAAA-1111-4222-8333-444455556666"


--Apple-Mail=_8888AAAA-1111-4222-8333-444455556666
Content-Transfer-Encoding: quoted-printable
Content-Type: text/html;
	charset=utf-8

<html><body style=3D"overflow-wrap: break-word;">Gr=C3=BC=C3=9Fe, see <a hr=
ef=3D"https://shop.example/2">this</a><img alt=3D"logo.png" src=3D"cid:1B2F@=
example.test"></body></html>=

--Apple-Mail=_8888AAAA-1111-4222-8333-444455556666
Content-Transfer-Encoding: base64
Content-Disposition: inline;
	filename=logo.png
Content-Type: image/png;
	x-unix-mode=0644;
	name="logo.png"
Content-Id: <1B2F@example.test>

${PNG}

--Apple-Mail=_8888AAAA-1111-4222-8333-444455556666--

--Apple-Mail=_7777AAAA-1111-4222-8333-444455556666
Content-Disposition: attachment;
	filename*=utf-8''Bestellung%20M%C3%A4rz.pdf
Content-Type: application/pdf;
	x-unix-mode=0644;
	name="=?utf-8?B?QmVzdGVsbHVuZyBNw6Ryei5wZGY=?="
Content-Transfer-Encoding: base64

${PDF}

--Apple-Mail=_7777AAAA-1111-4222-8333-444455556666
Content-Transfer-Encoding: 7bit
Content-Type: text/html;
	charset=us-ascii

<html><body><div>Sent from my Mac</div></body></html>
--Apple-Mail=_7777AAAA-1111-4222-8333-444455556666--

--Apple-Mail=_0A1B2C3D-1111-4222-8333-444455556666--
`

const THUNDERBIRD = `
Message-ID: <b1c2d3e4-f5a6-4b7c-8d9e-0f1a2b3c4d5e@example.test>
Date: Fri, 27 Nov 2026 10:31:45 +0100
MIME-Version: 1.0
User-Agent: Mozilla Thunderbird
Subject: Re: Order 17
Content-Language: de-DE
To: Ann <ann@receiver.example>, Bob <bob@receiver.example>
Cc: team@elsewhere.example
References: <1@receiver.example> <2@receiver.example>
From: Shop <hello@example.test>
Organization: Shop
In-Reply-To: <2@receiver.example>
Content-Type: multipart/mixed; boundary="------------0pQ9rS8tU7vW6xY5zA4bC3dE"

This is a multi-part message in MIME format.
--------------0pQ9rS8tU7vW6xY5zA4bC3dE
Content-Type: multipart/alternative;
 boundary="------------1aB2cD3eF4gH5iJ6kL7mN8oP"

--------------1aB2cD3eF4gH5iJ6kL7mN8oP
Content-Type: text/plain; charset=UTF-8; format=flowed
Content-Transfer-Encoding: 8bit

${GRUESSE}, see https://shop.example/3 and a line that goes 
on after the space.

-- 
Shop

--------------1aB2cD3eF4gH5iJ6kL7mN8oP
Content-Type: multipart/related;
 boundary="------------2zY3xW4vU5tS6rQ7pO8nM9lK"

--------------2zY3xW4vU5tS6rQ7pO8nM9lK
Content-Type: text/html; charset=UTF-8
Content-Transfer-Encoding: 8bit

<!DOCTYPE html>
<html>
  <head>
    <meta http-equiv="content-type" content="text/html; charset=UTF-8">
  </head>
  <body>
    <p>${GRUESSE}, see <a href="https://shop.example/3">this</a>
      <img src="cid:part1.8oP7.6nM5@example.test" alt=""></p>
    <div class="moz-signature">-- <br>Shop</div>
  </body>
</html>
--------------2zY3xW4vU5tS6rQ7pO8nM9lK
Content-Type: image/png; name="logo.png"
Content-Disposition: inline; filename="logo.png"
Content-Id: <part1.8oP7.6nM5@example.test>
Content-Transfer-Encoding: base64

${PNG}

--------------2zY3xW4vU5tS6rQ7pO8nM9lK--

--------------1aB2cD3eF4gH5iJ6kL7mN8oP--
--------------0pQ9rS8tU7vW6xY5zA4bC3dE
Content-Type: application/pdf; name="order.pdf"
Content-Disposition: attachment; filename="order.pdf"
Content-Transfer-Encoding: base64

${PDF}

--------------0pQ9rS8tU7vW6xY5zA4bC3dE--
`

const JAVAMAIL = `
Date: Fri, 27 Nov 2026 09:40:02 +0000 (UTC)
From: Shop <hello@example.test>
To: ann@receiver.example, bob@receiver.example
Cc: team@elsewhere.example
Message-ID: <1804904541.3.1764236402123@app-7f9c>
In-Reply-To: <2@receiver.example>
References: <2@receiver.example>
Subject: Order 17
MIME-Version: 1.0
Content-Type: multipart/mixed; 
	boundary="----=_Part_0_1513712028.1764236402090"

------=_Part_0_1513712028.1764236402090
Content-Type: multipart/related; 
	boundary="----=_Part_1_1018547642.1764236402100"

------=_Part_1_1018547642.1764236402100
Content-Type: text/html;charset=UTF-8
Content-Transfer-Encoding: 7bit

<html><body><a href="https://shop.example/4">order</a><img src="cid:logo"></body></html>
------=_Part_1_1018547642.1764236402100
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=logo.png
Content-ID: <logo>

${PNG}
------=_Part_1_1018547642.1764236402100--

------=_Part_0_1513712028.1764236402090
Content-Type: application/pdf; name=order.pdf
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=order.pdf

${PDF}
------=_Part_0_1513712028.1764236402090--
`

const PHPMAILER = `
Date: Fri, 27 Nov 2026 09:45:00 +0000
To: Ann <ann@receiver.example>, bob@receiver.example
From: Shop <hello@example.test>
Cc: team@elsewhere.example
Reply-To: Help <help@example.test>
Subject: Order 17
Message-ID: <tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT@www.example.test>
In-Reply-To: <2@receiver.example>
References: <2@receiver.example>
X-Mailer: PHPMailer 6.9.1 (https://github.com/PHPMailer/PHPMailer)
MIME-Version: 1.0
Content-Type: multipart/mixed;
 boundary="b1=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT"
Content-Transfer-Encoding: 8bit

This is a multi-part message in MIME format.

--b1=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT
Content-Type: multipart/alternative;
 boundary="b2=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT"

--b2=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: 8bit

Grüße, https://shop.example/5


--b2=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT
Content-Type: multipart/related;
 boundary="b3=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT";
 type="text/html"

--b3=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT
Content-Type: text/html; charset=iso-8859-1
Content-Transfer-Encoding: 8bit

<p>Grüße, <a href='https://shop.example/5'>order</a> <img src="cid:logo_1"></p>


--b3=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT
Content-Type: image/png; name=logo.png
Content-Transfer-Encoding: base64
Content-ID: <logo_1>
Content-Disposition: inline; filename=logo.png

${PNG}

--b3=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT--


--b2=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT--

--b1=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT
Content-Type: application/pdf; name=order.pdf
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=order.pdf

${PDF}

--b1=_tyGJ0zqPLrvKnR3hZ4aBcDeFgHiJkLmNoPqRsT--
`

const NODEMAILER = `
From: Shop <hello@example.test>
To: Ann <ann@receiver.example>, bob@receiver.example
Cc: team@elsewhere.example
In-Reply-To: <2@receiver.example>
References: <1@receiver.example> <2@receiver.example>
Subject: =?UTF-8?Q?Bestellung_17_=E2=9C=93?=
Message-ID: <7e6f5d4c-3b2a-1908-f7e6-d5c4b3a29180@example.test>
Date: Fri, 27 Nov 2026 09:50:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="--_NmP-5a4b3c2d1e0f-Part_1"

----_NmP-5a4b3c2d1e0f-Part_1
Content-Type: multipart/alternative; boundary="--_NmP-5a4b3c2d1e0f-Part_2"

----_NmP-5a4b3c2d1e0f-Part_2
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 7bit

https://shop.example/6
----_NmP-5a4b3c2d1e0f-Part_2
Content-Type: multipart/related; type="text/html"; boundary="--_NmP-5a4b3c2d1e0f-Part_3"

----_NmP-5a4b3c2d1e0f-Part_3
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: 7bit

<a href="https://shop.example/6">order</a><img src="cid:logo@node">
----_NmP-5a4b3c2d1e0f-Part_3
Content-Type: image/png; name=logo.png
Content-ID: <logo@node>
Content-Transfer-Encoding: base64
Content-Disposition: inline; filename=logo.png

${PNG}
----_NmP-5a4b3c2d1e0f-Part_3--

----_NmP-5a4b3c2d1e0f-Part_2--

----_NmP-5a4b3c2d1e0f-Part_1
Content-Type: application/pdf; name="=?UTF-8?Q?M=C3=A4rz=2Epdf?="
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename*=utf-8''M%C3%A4rz.pdf

${PDF}
----_NmP-5a4b3c2d1e0f-Part_1--
`

const HTML_7 = Buffer.from(
  '<html><body><a href="https://shop.example/7">Grüße</a><img src="cid:176423.1.2@host"></body></html>\n',
).toString('base64')
const PYTHON = `
Subject: Order 17
From: Shop <hello@example.test>
To: Ann <ann@receiver.example>, Bob <bob@receiver.example>
Cc: team@elsewhere.example
Message-ID: <176423640212.41.1234567890@worker-1>
In-Reply-To: <2@receiver.example>
References: <1@receiver.example>
 <2@receiver.example>
Date: Fri, 27 Nov 2026 09:55:00 -0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="===============1234567890123456789=="

--===============1234567890123456789==
Content-Type: multipart/alternative;
 boundary="===============2345678901234567890=="

--===============2345678901234567890==
Content-Type: text/plain; charset="utf-8"
Content-Transfer-Encoding: base64

${Buffer.from('Grüße, https://shop.example/7\n').toString('base64')}

--===============2345678901234567890==
Content-Type: multipart/related;
 boundary="===============3456789012345678901=="
MIME-Version: 1.0

--===============3456789012345678901==
Content-Type: text/html; charset="utf-8"
Content-Transfer-Encoding: base64

${HTML_7.replace(/.{76}/g, '$&\n')}

--===============3456789012345678901==
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-ID: <176423.1.2@host>
MIME-Version: 1.0

${PNG}

--===============3456789012345678901==--

--===============2345678901234567890==--

--===============1234567890123456789==
Content-Type: application/pdf
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="order.pdf"
MIME-Version: 1.0

${PDF}

--===============1234567890123456789==--
`

const DOT_NET = `
MIME-Version: 1.0
From: "Shop" <hello@example.test>
To: "Ann" <ann@receiver.example>, bob@receiver.example
Cc: team@elsewhere.example
Date: 27 Nov 2026 10:00:00 +0000
Subject: Order 17
Message-ID: <net-17@example.test>
In-Reply-To: <2@receiver.example>
References: <2@receiver.example>
Content-Type: multipart/mixed;
 boundary=--boundary_2_0b3ac4a5-3ff0-4f37-9f6c-1a2b3c4d5e6f


----boundary_2_0b3ac4a5-3ff0-4f37-9f6c-1a2b3c4d5e6f
Content-Type: multipart/alternative;
 boundary=--boundary_1_1c4bd5b6-4001-4048-a07d-2b3c4d5e6f70


----boundary_1_1c4bd5b6-4001-4048-a07d-2b3c4d5e6f70
Content-Type: text/plain; charset=us-ascii
Content-Transfer-Encoding: quoted-printable

https://shop.example/8
----boundary_1_1c4bd5b6-4001-4048-a07d-2b3c4d5e6f70
Content-Type: multipart/related; type="text/html";
 boundary=--boundary_0_2d5ce6c7-5112-4159-b18e-3c4d5e6f7081


----boundary_0_2d5ce6c7-5112-4159-b18e-3c4d5e6f7081
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

${Buffer.from('<p><a href="https://shop.example/8">Grüße</a><img src="cid:logo"></p>').toString('base64')}
----boundary_0_2d5ce6c7-5112-4159-b18e-3c4d5e6f7081
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-ID: <logo>

${PNG}
----boundary_0_2d5ce6c7-5112-4159-b18e-3c4d5e6f7081--

----boundary_1_1c4bd5b6-4001-4048-a07d-2b3c4d5e6f70--
----boundary_2_0b3ac4a5-3ff0-4f37-9f6c-1a2b3c4d5e6f
Content-Type: application/pdf; name=order.pdf
Content-Transfer-Encoding: base64
Content-Disposition: attachment

${PDF}
----boundary_2_0b3ac4a5-3ff0-4f37-9f6c-1a2b3c4d5e6f--
`

const RAILS = `
Date: Fri, 27 Nov 2026 10:05:00 +0000
From: Shop <hello@example.test>
To: Ann <ann@receiver.example>, bob@receiver.example
Cc: team@elsewhere.example
Message-ID: <69282a2c1f0b3_1a2b3c58@web.1.mail>
In-Reply-To: <2@receiver.example>
References: <2@receiver.example>
Subject: Order 17
Mime-Version: 1.0
Content-Type: multipart/mixed;
 boundary="--==_mimepart_69282a2c1e9d1_1a2b3c5732";
 charset=UTF-8
Content-Transfer-Encoding: 7bit


----==_mimepart_69282a2c1e9d1_1a2b3c5732
Content-Type: multipart/related;
 boundary="--==_mimepart_69282a2c1ea11_1a2b3c5733";
 charset=UTF-8
Content-Transfer-Encoding: 7bit


----==_mimepart_69282a2c1ea11_1a2b3c5733
Content-Type: multipart/alternative;
 boundary="--==_mimepart_69282a2c1eb22_1a2b3c5734";
 charset=UTF-8
Content-Transfer-Encoding: 7bit


----==_mimepart_69282a2c1eb22_1a2b3c5734
Content-Type: text/plain;
 charset=UTF-8
Content-Transfer-Encoding: quoted-printable

Gr=C3=BC=C3=9Fe, https://shop.example/9=


----==_mimepart_69282a2c1eb22_1a2b3c5734
Content-Type: text/html;
 charset=UTF-8
Content-Transfer-Encoding: quoted-printable

<!DOCTYPE html>
<html><body><a href=3D"https://shop.example/9">Gr=C3=BC=C3=9Fe</a><img src=3D=
"cid:69282a2c@web.1.mail"></body></html>=


----==_mimepart_69282a2c1eb22_1a2b3c5734--

----==_mimepart_69282a2c1ea11_1a2b3c5733
Content-Type: image/png;
 filename=logo.png
Content-Transfer-Encoding: base64
Content-Disposition: inline;
 filename=logo.png
Content-ID: <69282a2c@web.1.mail>

${PNG}

----==_mimepart_69282a2c1ea11_1a2b3c5733--

----==_mimepart_69282a2c1e9d1_1a2b3c5732
Content-Type: application/pdf;
 filename=order.pdf
Content-Transfer-Encoding: base64
Content-Disposition: attachment;
 filename=order.pdf

${PDF}

----==_mimepart_69282a2c1e9d1_1a2b3c5732--
`

const JENKINS = `
Date: Fri, 27 Nov 2026 10:10:00 +0000 (UTC)
From: hello@example.test
To: ann@receiver.example, bob@receiver.example
Cc: team@elsewhere.example
Message-ID: <1257319231.17.1764238200000@jenkins>
In-Reply-To: <1257319231.16.1764238100000@jenkins>
References: <1257319231.16.1764238100000@jenkins>
Subject: shop - Build # 17 - Still Failing!
MIME-Version: 1.0
Content-Type: multipart/mixed; 
	boundary="----=_Part_16_987654321.1764238200000"
X-Jenkins-Job: shop
X-Jenkins-Result: FAILURE
List-ID: <shop.jenkins.example.test>
Precedence: bulk

------=_Part_16_987654321.1764238200000
Content-Type: text/html; charset=UTF-8
Content-Transfer-Encoding: quoted-printable

<p>Check <a href=3D"https://shop.example/10">console output</a> <img src=3D"c=
id:build.png"></p>
------=_Part_16_987654321.1764238200000
Content-Type: image/png; name=build.png
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename=build.png
Content-ID: <build.png>

${PNG}
------=_Part_16_987654321.1764238200000
Content-Type: text/plain; charset=us-ascii; name=build.log
Content-Transfer-Encoding: 7bit
Content-Disposition: attachment; filename=build.log

Started by user
Finished: FAILURE
------=_Part_16_987654321.1764238200000
Content-Type: text/html; name=report.html
Content-Transfer-Encoding: 7bit

<p>The report</p>
------=_Part_16_987654321.1764238200000--
`

const MAILS: Readonly<Record<string, string>> = {
  Outlook: OUTLOOK,
  'Apple Mail': APPLE_MAIL,
  Thunderbird: THUNDERBIRD,
  JavaMail: JAVAMAIL,
  PHPMailer: PHPMAILER,
  nodemailer: NODEMAILER,
  'email of Python': PYTHON,
  '.NET': DOT_NET,
  Rails: RAILS,
  Jenkins: JENKINS,
}

/** All messages; each string has one character per byte. */
export const PROGRAM_MAILS: readonly ProgramMail[] = Object.entries(MAILS).map(([program, text]) => ({
  program,
  raw: lines(text),
}))
