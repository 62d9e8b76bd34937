// Messages of Open Match: the services for gRPC, and values in an Any as JavaScript has them.

'use strict';

const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const protobuf = require('protobufjs');

const file = path.join(__dirname, 'openmatch.proto');
const { openmatch } = grpc.loadPackageDefinition(loader.loadSync(file, {
  keepCase: true, longs: String, enums: String, defaults: false, arrays: true, objects: true,
}));
const root = protobuf.loadSync(file);
const Struct = root.lookupType('google.protobuf.Struct');
const Criteria = root.lookupType('openmatch.DefaultEvaluationCriteria');

const prefix = 'type.googleapis.com/';

function toValue(plain) {
  if (plain === null || plain === undefined) return { nullValue: 0 };
  if (Array.isArray(plain)) return { listValue: { values: plain.map(toValue) } };
  switch (typeof plain) {
    case 'number': return { numberValue: plain };
    case 'string': return { stringValue: plain };
    case 'boolean': return { boolValue: plain };
    default: return { structValue: toStruct(plain) };
  }
}

function toStruct(plain) {
  return { fields: Object.fromEntries(Object.entries(plain).map(([k, v]) => [k, toValue(v)])) };
}

function fromValue(value) {
  if (value.listValue) return (value.listValue.values || []).map(fromValue);
  if (value.structValue) return fromStruct(value.structValue);
  if (Object.hasOwn(value, 'numberValue')) return value.numberValue;
  if (Object.hasOwn(value, 'stringValue')) return value.stringValue;
  if (Object.hasOwn(value, 'boolValue')) return value.boolValue;
  return null;
}

function fromStruct(struct) {
  return Object.fromEntries(Object.entries(struct.fields || {}).map(([k, v]) => [k, fromValue(v)]));
}

// An Any with an object as google.protobuf.Struct, and back.
function packStruct(plain) {
  return {
    type_url: `${prefix}google.protobuf.Struct`,
    value: Buffer.from(Struct.encode(Struct.fromObject(toStruct(plain))).finish()),
  };
}

function unpackStruct(any) {
  if (any.type_url !== `${prefix}google.protobuf.Struct`) {
    throw new TypeError(`expected a google.protobuf.Struct, not ${any.type_url}`);
  }
  return fromStruct(Struct.toObject(Struct.decode(any.value || Buffer.alloc(0))));
}

// An Any with the score of a match.
function packScore(score) {
  return {
    type_url: `${prefix}openmatch.DefaultEvaluationCriteria`,
    value: Buffer.from(Criteria.encode(Criteria.create({ score })).finish()),
  };
}

function unpackScore(any) {
  return Criteria.decode(any.value).score;
}

module.exports = { grpc, openmatch, packScore, packStruct, unpackScore, unpackStruct };
