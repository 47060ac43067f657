"""Attestations for tests: a Sigstore of one's own, and what GitHub's action would make with it.

One authority for certificates, one log of certificates, one log of signatures, all of this process.
"""

import base64
import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from epc.registry.trust import ISSUER, PREDICATE, WORKFLOW

Json = dict[str, Any]
DAY = datetime(2026, 7, 2, 12, tzinfo=UTC)  # records_support measures on it
BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
_FULCIO = "1.3.6.1.4.1.57264.1."
_TIMESTAMPS = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_SHA256 = hashes.SHA256()


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _der(key: ec.EllipticCurvePrivateKey) -> bytes:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.DER, form)


def _64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _utf8(text: str) -> bytes:
    raw = text.encode()
    length = bytes([len(raw)]) if len(raw) < 128 else bytes([0x81, len(raw)])
    return b"\x0c" + length + raw


@dataclass(frozen=True, kw_only=True)
class Sigstore:
    """Keys and a root certificate, which is good until `ended`."""

    ended: datetime = datetime(2040, 1, 1, tzinfo=UTC)
    authority: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    certificates: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    signatures: ec.EllipticCurvePrivateKey = field(default_factory=_key)

    @property
    def name(self) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test's authority")])

    @property
    def root(self) -> x509.Certificate:
        key = self.authority
        return (
            x509.CertificateBuilder(self.name, self.name, key.public_key(), 1, BEGAN, self.ended)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(_identifier(key), critical=False)
            .sign(key, _SHA256)
        )

    def trusted(self, folder: Path) -> Path:
        """Write the file that says whom to trust, and return it."""
        document = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [_log("rekor", self.signatures)],
            "ctlogs": [_log("ctfe", self.certificates)],
            "certificateAuthorities": [
                {
                    "subject": {"organization": "test", "commonName": "test"},
                    "uri": "https://fulcio.example",
                    "certChain": {
                        "certificates": [
                            {"rawBytes": _64(self.root.public_bytes(serialization.Encoding.DER))}
                        ]
                    },
                    "validFor": {"start": "2020-01-01T00:00:00Z"},
                }
            ],
            "timestampAuthorities": [],
        }
        path = folder / "trusted_root.json"
        path.write_text(json.dumps(document))
        return path

    def attest(
        self, digests: Mapping[str, str], *, commit: str, login: str = "a-name", **given: Any
    ) -> Json:
        """Return the bundle that GitHub's action makes of files, by name and SHA-256.

        `given` are what GitHub would say otherwise (`issuer`, `workflow`, `runner`, `repository`),
        or another `predicate`.
        """
        repository = given.get("repository", f"https://github.com/{login}/registry")
        workflow = given.get("workflow", f"{repository}/{WORKFLOW}@refs/heads/main")
        said = {
            "8": given.get("issuer", ISSUER),
            "9": workflow,
            "10": given.get("workflow_commit", commit),
            "11": given.get("runner", "github-hosted"),
            "12": repository,
            "13": commit,
            "21": f"{repository}/actions/runs/12169989787/attempts/1",
        }
        key = _key()
        certificate = self._certificate(key, given.get("identity", workflow), said)
        statement = {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{"name": n, "digest": {"sha256": d}} for n, d in digests.items()],
            "predicateType": given.get("predicate", PREDICATE),
            "predicate": {},
        }
        payload = json.dumps(statement).encode()
        kind = "application/vnd.in-toto+json"
        encoded = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
        signature = key.sign(encoded, ec.ECDSA(_SHA256))
        return {
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": {
                "certificate": {
                    "rawBytes": _64(certificate.public_bytes(serialization.Encoding.DER))
                },
                "tlogEntries": [self._entry(certificate, payload, signature)],
            },
            "dsseEnvelope": {
                "payload": _64(payload),
                "payloadType": kind,
                "signatures": [{"sig": _64(signature)}],
            },
        }

    def _certificate(
        self, key: ec.EllipticCurvePrivateKey, identity: str, said: Mapping[str, str]
    ) -> x509.Certificate:
        """Return the certificate of a job, with its receipt from the log of certificates."""
        names = x509.SubjectAlternativeName([x509.UniformResourceIdentifier(identity)])
        builder = (
            x509.CertificateBuilder(
                self.name,
                x509.Name([]),
                key.public_key(),
                2,
                DAY,
                DAY + timedelta(minutes=10),
            )
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.authority.public_key()),
                critical=False,
            )
            .add_extension(names, critical=True)
        )
        for number, text in said.items():
            oid = x509.ObjectIdentifier(f"{_FULCIO}{number}")
            builder = builder.add_extension(
                x509.UnrecognizedExtension(oid, _utf8(text)), critical=False
            )
        before = builder.sign(self.authority, _SHA256).tbs_certificate_bytes
        moment = int(DAY.timestamp() * 1000)
        issuer = hashlib.sha256(_der(self.authority)).digest()
        length = struct.pack("!I", len(before))[1:]
        body = struct.pack("!BBQH", 0, 0, moment, 1) + issuer + length + before + b"\0\0"
        signature = self.certificates.sign(body, ec.ECDSA(_SHA256))
        log = hashlib.sha256(_der(self.certificates)).digest()
        receipt = struct.pack("!B32sQH", 0, log, moment, 0)
        receipt += b"\x04\x03" + struct.pack("!H", len(signature)) + signature
        listed = struct.pack("!HH", len(receipt) + 2, len(receipt)) + receipt
        value = b"\x04" + bytes([len(listed)] if len(listed) < 128 else [0x81, len(listed)])
        extension = x509.UnrecognizedExtension(_TIMESTAMPS, value + listed)
        return builder.add_extension(extension, critical=False).sign(self.authority, _SHA256)

    def _entry(self, certificate: x509.Certificate, payload: bytes, signature: bytes) -> Json:
        """Return the entry of the log of signatures, which has no other."""
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        digest = {"algorithm": "sha256", "value": hashlib.sha256(payload).hexdigest()}
        body = json.dumps(
            {
                "apiVersion": "0.0.1",
                "kind": "dsse",
                "spec": {
                    "envelopeHash": digest,
                    "payloadHash": digest,
                    "signatures": [{"signature": _64(signature), "verifier": _64(pem)}],
                },
            }
        ).encode()
        log = hashlib.sha256(_der(self.signatures)).digest()
        moment = int(DAY.timestamp()) + 60
        promised = {
            "body": _64(body),
            "integratedTime": moment,
            "logID": log.hex(),
            "logIndex": 0,
        }
        canonical = json.dumps(promised, sort_keys=True, separators=(",", ":")).encode()
        leaf = hashlib.sha256(b"\0" + body).digest()
        note = f"rekor.example - 1\n1\n{_64(leaf)}\n"
        signed = log[:4] + self.signatures.sign(note.encode(), ec.ECDSA(_SHA256))
        return {
            "logIndex": "0",
            "logId": {"keyId": _64(log)},
            "kindVersion": {"kind": "dsse", "version": "0.0.1"},
            "integratedTime": str(moment),
            "inclusionPromise": {
                "signedEntryTimestamp": _64(self.signatures.sign(canonical, ec.ECDSA(_SHA256)))
            },
            "inclusionProof": {
                "logIndex": "0",
                "rootHash": _64(leaf),
                "treeSize": "1",
                "hashes": [],
                "checkpoint": {"envelope": f"{note}\n\u2014 rekor.example {_64(signed)}\n"},
            },
            "canonicalizedBody": _64(body),
        }


@cache
def sigstore() -> Sigstore:
    """Return the one that the tests of a process trust."""
    return Sigstore()


def _log(name: str, key: ec.EllipticCurvePrivateKey) -> Json:
    return {
        "baseUrl": f"https://{name}.example",
        "hashAlgorithm": "SHA2_256",
        "publicKey": {
            "rawBytes": _64(_der(key)),
            "keyDetails": "PKIX_ECDSA_P256_SHA_256",
            "validFor": {"start": "2020-01-01T00:00:00Z"},
        },
        "logId": {"keyId": _64(hashlib.sha256(_der(key)).digest())},
    }


def _identifier(key: ec.EllipticCurvePrivateKey) -> x509.SubjectKeyIdentifier:
    return x509.SubjectKeyIdentifier.from_public_key(key.public_key())


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=not signs,
        crl_sign=not signs,
        encipher_only=False,
        decipher_only=False,
    )
