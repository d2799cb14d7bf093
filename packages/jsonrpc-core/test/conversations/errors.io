// A handler's error object is answered as it is.
>> {"jsonrpc":"2.0","id":1,"method":"fail"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded","data":{"see":"docs"}}}

// data that is not JSON is left out
>> {"jsonrpc":"2.0","id":1,"method":"fail_with_bigint"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"with \"quotes\""}}

// a defect, a result that is not the schema's: nothing of them gets out
>> {"jsonrpc":"2.0","id":1,"method":"die"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}
>> {"jsonrpc":"2.0","id":1,"method":"bad_result"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}

// null is a result
>> {"jsonrpc":"2.0","id":1,"method":"echo","params":[null]}
<< {"jsonrpc":"2.0","id":1,"result":null}

// notifications are not answered, whatever becomes of them
>> {"jsonrpc":"2.0","method":"die"}
<<
>> {"jsonrpc":"2.0","method":"fail"}
<<
>> {"jsonrpc":"2.0","method":"subtract","params":["x"]}
<<
